// The pack engine against slow, obvious answers: every small tree, and random larger ones.
#include <algorithm>
#include <random>

#include "tests/algorithms/pack_world.h"
#include "tests/support/rounds.h"

namespace gangplan {
namespace {

constexpr int32_t kMostMembers = 6;

// Checked builds are fifty times slower: they try all rooms on smaller trees.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kExhaustiveLeaves = 3;
constexpr int kSampledLeaves = 4;
#else
constexpr int kExhaustiveLeaves = 4;
constexpr int kSampledLeaves = 6;
#endif

// Tree number `shape` of those with these levels and leaves: between two leaves either nothing
// begins, or a rack, or a block (in base `levels`).
Tree SmallTree(int levels, int leaves, int shape) {
  Topology topology;
  const std::vector<Level> known = {{"block", "b"}, {"rack", "r"}};
  topology.levels.assign(known.end() - (levels - 1), known.end());
  topology.levels.push_back({"node", std::string(kHostnameLabel)});
  std::vector<NodeFacts> nodes;
  int block = 0, rack = 0;
  for (int leaf = 0; leaf < leaves; ++leaf, shape /= levels) {
    nodes.push_back(MakeNode(fmt::format("n{}", leaf),
                             {{"b", fmt::format("b{}", block)}, {"r", fmt::format("r{}", rack)}}));
    if (shape % levels > 0) ++rack;
    if (shape % levels > 1) ++block;
  }
  std::vector<const NodeFacts*> pointers;
  for (const NodeFacts& node : nodes) pointers.push_back(&node);
  return Tree(topology, pointers);
}

int Power(int base, int exponent) { return exponent == 0 ? 1 : base * Power(base, exponent - 1); }

PlacementRequest RequestOf(const Tree& tree, int hard_level, int32_t members) {
  PlacementRequest request;
  request.pod_sets = {{"", members}};
  request.rules.resize(tree.level_count());
  if (hard_level >= 0) request.rules[hard_level] = HardPack();
  return request;
}

// Members per leaf of the engine's answer; nothing when it does not place.
std::optional<PerLeaf> EnginePlacement(const Tree& tree, const FitCounts& counts,
                                       const PlacementRequest& request) {
  PlacementView view{&tree, {&counts}};
  PlacementResult result = Place(
      view, [&] { return view; }, request, Budget{});
  if (result.outcome != Outcome::kPlaced) {
    REQUIRE(result.outcome == Outcome::kImpossible);
    return std::nullopt;
  }
  PerLeaf placement(tree.leaf_count(), 0);
  int32_t last = 0;
  for (const PlacedMember& member : result.members) {
    REQUIRE(member.leaf >= last);
    last = member.leaf;
    ++placement[member.leaf];
  }
  return placement;
}

std::string Describe(const Tree& tree, const FitCounts& counts, int hard_level, int32_t members) {
  std::string text = fmt::format("hard {} members {} counts {}:", hard_level, members,
                                 fmt::join(counts.levels.back(), ","));
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf)
    text += " " + tree.Path(tree.leaf_level(), leaf);
  return text;
}

// One check a call: the framework's own checks are too slow for millions.
void Verify(bool holds, const Tree& tree, const FitCounts& counts, int hard_level,
            int32_t members) {
  if (!holds) FAIL(Describe(tree, counts, hard_level, members));
}

// Against the recursive reference, and (when asked) against every placement that exists.
void CompareAll(const Tree& tree, const FitCounts& counts, bool enumerate) {
  for (int hard = -1; hard < tree.level_count(); ++hard) {
    for (int32_t members = 1; members <= kMostMembers; ++members) {
      auto placement = EnginePlacement(tree, counts, RequestOf(tree, hard, members));
      Verify(placement == ReferencePlacement(tree, counts, hard, members), tree, counts, hard,
             members);
      if (!enumerate) continue;
      std::optional<std::vector<int64_t>> best;
      ForEachPlacement(counts.levels.back(), members, [&](const PerLeaf& other) {
        auto key = PlacementKey(tree, counts, hard, other);
        if (key && (!best || *key < *best)) best = key;
      });
      Verify(placement.has_value() == best.has_value(), tree, counts, hard, members);
      if (placement)
        Verify(PlacementKey(tree, counts, hard, *placement) == best, tree, counts, hard, members);
    }
  }
}

PerLeaf DigitsOf(int number, int count) {
  PerLeaf digits;
  for (; count > 0; --count, number /= 4) digits.push_back(number % 4);
  return digits;
}

TEST_CASE("every small tree, every room up to 3: the best of all placements") {
  for (int levels = 1; levels <= 3; ++levels) {
    for (int leaves = 1; leaves <= kExhaustiveLeaves; ++leaves) {
      for (int shape = 0; shape < Power(levels, leaves - 1); ++shape) {
        Tree tree = SmallTree(levels, leaves, shape);
        for (int rooms = 0; rooms < Power(4, leaves); ++rooms)
          CompareAll(tree, RollUpCounts(tree, DigitsOf(rooms, leaves)), true);
      }
    }
  }
}

TEST_CASE("every tree that is a little larger, sampled rooms: the best of all placements") {
  std::mt19937 random(11);
  for (int levels = 1; levels <= 3; ++levels) {
    for (int leaves = kExhaustiveLeaves + 1; leaves <= kSampledLeaves; ++leaves) {
      for (int shape = 0; shape < Power(levels, leaves - 1); ++shape) {
        Tree tree = SmallTree(levels, leaves, shape);
        for (int i = 0; i < Rounds(12); ++i) {
          int rooms = static_cast<int>(random() % Power(4, leaves));
          CompareAll(tree, RollUpCounts(tree, DigitsOf(rooms, leaves)), true);
        }
      }
    }
  }
}

struct RandomCluster {
  std::vector<NodeFacts> nodes;
  std::vector<int32_t> rooms;
};

RandomCluster MakeRandomCluster(std::mt19937& random) {
  RandomCluster cluster;
  const uint32_t leaves = 1 + random() % 150, blocks = 1 + random() % 4, racks = 1 + random() % 6;
  const uint32_t most = 1 + random() % 9;
  for (uint32_t i = 0; i < leaves; ++i) {
    cluster.nodes.push_back(
        MakeNode(fmt::format("n{}", i), {{"b", fmt::format("b{}", random() % blocks)},
                                         {"r", fmt::format("r{}", random() % racks)}}));
    cluster.rooms.push_back(static_cast<int32_t>(random() % (most + 1)));
  }
  return cluster;
}

// The tree and counts of a cluster whose nodes come in the order of `order`.
std::pair<Tree, FitCounts> Build(const RandomCluster& cluster, const std::vector<size_t>& order) {
  std::vector<const NodeFacts*> pointers;
  for (size_t i : order) pointers.push_back(&cluster.nodes[i]);
  Tree tree(BlockRackNode(), pointers);
  PerLeaf rooms;
  for (int32_t source : tree.leaf_source()) rooms.push_back(cluster.rooms[order[source]]);
  FitCounts counts = RollUpCounts(tree, rooms);
  return {std::move(tree), std::move(counts)};
}

TEST_CASE("random clusters: as the reference says, whatever the order of the nodes") {
  std::mt19937 random(12);
  for (int round = 0; round < Rounds(1000); ++round) {
    RandomCluster cluster = MakeRandomCluster(random);
    std::vector<size_t> order(cluster.nodes.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    auto [tree, counts] = Build(cluster, order);
    std::shuffle(order.begin(), order.end(), random);
    auto [shuffled_tree, shuffled_counts] = Build(cluster, order);
    int hard = static_cast<int>(random() % 4) - 1;
    auto members = static_cast<int32_t>(1 + random() % (random() % 2 == 0 ? 20 : 400));
    auto placement = EnginePlacement(tree, counts, RequestOf(tree, hard, members));
    Verify(placement == ReferencePlacement(tree, counts, hard, members), tree, counts, hard,
           members);
    REQUIRE(placement == EnginePlacement(shuffled_tree, shuffled_counts,
                                         RequestOf(shuffled_tree, hard, members)));
  }
}

// The first level at which domains without standing members are used, as negative so that deeper
// is less, and how many there.
std::vector<int64_t> NewDomainsKey(const Tree& tree, const PerLeaf& standing,
                                   const PerLeaf& placement) {
  for (int level = 0; level < tree.level_count(); ++level) {
    std::vector<int32_t> before = UsedDomains(tree, level, standing), fresh;
    std::vector<int32_t> used = UsedDomains(tree, level, placement);
    std::set_difference(used.begin(), used.end(), before.begin(), before.end(),
                        std::back_inserter(fresh));
    if (!fresh.empty()) return {-level, static_cast<int64_t>(fresh.size())};
  }
  return {-tree.level_count(), 0};
}

bool InOneDomain(const Tree& tree, int level, PerLeaf placement, const PerLeaf& standing) {
  for (size_t leaf = 0; leaf < placement.size(); ++leaf) placement[leaf] += standing[leaf];
  return level < 0 || UsedDomains(tree, level, placement).size() <= 1;
}

TEST_CASE("around members that stand: found when there is one, and with the fewest new domains") {
  std::mt19937 random(13);
  for (int round = 0; round < Rounds(4000); ++round) {
    const int leaves = 2 + static_cast<int>(random() % 5);
    Tree tree = SmallTree(3, leaves, static_cast<int>(random() % Power(3, leaves - 1)));
    FitCounts counts =
        RollUpCounts(tree, DigitsOf(static_cast<int>(random() % Power(4, leaves)), leaves));
    const int hard = static_cast<int>(random() % 3) - 1;
    auto need = static_cast<int32_t>(1 + random() % kMostMembers);
    PerLeaf standing(leaves, 0);
    PlacementRequest request = RequestOf(tree, hard, need);
    for (int32_t rank = 0; rank < static_cast<int32_t>(1 + random() % 3); ++rank) {
      auto leaf = static_cast<int32_t>(random() % leaves);
      if (!InOneDomain(tree, hard, DigitsOf(1 << (2 * leaf), leaves), standing)) continue;
      request.fixed.push_back({0, rank, leaf});
      ++standing[leaf];
    }
    if (request.fixed.empty()) continue;
    request.pod_sets[0].count += static_cast<int32_t>(request.fixed.size());
    std::optional<std::vector<int64_t>> best;
    ForEachPlacement(counts.levels.back(), need, [&](const PerLeaf& other) {
      if (!InOneDomain(tree, hard, other, standing)) return;
      auto key = NewDomainsKey(tree, standing, other);
      if (!best || key < *best) best = key;
    });
    PlacementView view{&tree, {&counts}};
    PlacementResult result = Place(
        view, [&] { return view; }, request, Budget{});
    Verify((result.outcome == Outcome::kPlaced) == best.has_value(), tree, counts, hard, need);
    if (!best) continue;
    PerLeaf placement(leaves, 0);
    for (const PlacedMember& member : result.members) ++placement[member.leaf];
    Verify(InOneDomain(tree, hard, placement, standing), tree, counts, hard, need);
    Verify(NewDomainsKey(tree, standing, placement) == *best, tree, counts, hard, need);
    for (int leaf = 0; leaf < leaves; ++leaf)
      Verify(placement[leaf] <= counts.levels.back()[leaf], tree, counts, hard, need);
  }
}

}  // namespace
}  // namespace gangplan
