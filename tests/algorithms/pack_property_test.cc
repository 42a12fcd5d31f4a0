// Plain packs against slow, obvious answers: every small tree, and random larger ones.
#include <algorithm>
#include <random>

#include "tests/algorithms/pack_world.h"
#include "tests/support/exact_reference.h"
#include "tests/support/rounds.h"

namespace gangplan::pack_property_test {
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
  BindUpwards(request.rules);
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

// Against every placement that exists: the best of them, ties included.
void CompareAll(const Tree& tree, const FitCounts& counts) {
  for (int hard = -1; hard < tree.level_count(); ++hard) {
    for (int32_t members = 1; members <= kMostMembers; ++members) {
      const PlacementRequest request = RequestOf(tree, hard, members);
      const auto placement = EnginePlacement(tree, counts, request);
      std::optional<std::vector<int64_t>> best;
      ForEachPlacement(counts.levels.back(), members, [&](const PerLeaf& other) {
        auto key = PackKey(tree, counts, request, other);
        if (key && (!best || *key < *best)) best = std::move(key);
      });
      Verify(placement.has_value() == best.has_value(), tree, counts, hard, members);
      if (placement)
        Verify(PackKey(tree, counts, request, *placement) == best, tree, counts, hard, members);
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
          CompareAll(tree, RollUpCounts(tree, DigitsOf(rooms, leaves)));
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
          CompareAll(tree, RollUpCounts(tree, DigitsOf(rooms, leaves)));
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

TEST_CASE(
    "random clusters: in one hard domain, its first level the best, whatever the node order") {
  std::mt19937 random(12);
  for (int round = 0; round < Rounds(1000); ++round) {
    RandomCluster cluster = MakeRandomCluster(random);
    std::vector<size_t> order(cluster.nodes.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    auto [tree, counts] = Build(cluster, order);
    std::shuffle(order.begin(), order.end(), random);
    auto [shuffled_tree, shuffled_counts] = Build(cluster, order);
    const int hard = static_cast<int>(random() % 3) - 1;
    auto members = static_cast<int32_t>(1 + random() % (random() % 2 == 0 ? 20 : 400));
    const auto placement = EnginePlacement(tree, counts, RequestOf(tree, hard, members));
    REQUIRE(placement == EnginePlacement(shuffled_tree, shuffled_counts,
                                         RequestOf(shuffled_tree, hard, members)));
    const std::optional<BestLevel> best = BestBelow(tree, counts, hard, members);
    Verify(placement.has_value() == best.has_value(), tree, counts, hard, members);
    if (!placement) continue;
    Verify(LevelOf(tree, hard + 1, *placement) == *best, tree, counts, hard, members);
    Verify(hard < 0 || LevelOf(tree, hard, *placement).domains == 1, tree, counts, hard, members);
    for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf)
      Verify((*placement)[leaf] <= counts.levels.back()[leaf], tree, counts, hard, members);
  }
}

PerLeaf Together(PerLeaf placement, const PerLeaf& standing) {
  for (size_t leaf = 0; leaf < placement.size(); ++leaf) placement[leaf] += standing[leaf];
  return placement;
}

bool InOneDomain(const Tree& tree, int level, const PerLeaf& placement) {
  return level < 0 || LevelOf(tree, level, placement).domains <= 1;
}

TEST_CASE("around members that stand: found when there is one, and the best of all together") {
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
      ++standing[leaf];
      if (InOneDomain(tree, hard, standing))
        request.fixed.push_back({0, rank, leaf});
      else
        --standing[leaf];
    }
    request.pod_sets[0].count += static_cast<int32_t>(request.fixed.size());
    std::optional<std::vector<int64_t>> best;
    ForEachPlacement(counts.levels.back(), need, [&](const PerLeaf& other) {
      auto key = PlacementKeyOf(tree, request, Together(other, standing));
      if (key && (!best || *key < *best)) best = std::move(key);
    });
    PlacementView view{&tree, {&counts}};
    PlacementResult result = Place(
        view, [&] { return view; }, request, Budget{});
    Verify((result.outcome == Outcome::kPlaced) == best.has_value(), tree, counts, hard, need);
    if (!best) continue;
    PerLeaf placement(leaves, 0);
    for (const PlacedMember& member : result.members) ++placement[member.leaf];
    Verify(static_cast<int32_t>(result.members.size()) == need, tree, counts, hard, need);
    const PerLeaf all = Together(placement, standing);
    Verify(InOneDomain(tree, hard, all), tree, counts, hard, need);
    Verify(PlacementKeyOf(tree, request, all) == best, tree, counts, hard, need);
    for (int leaf = 0; leaf < leaves; ++leaf)
      Verify(placement[leaf] <= counts.levels.back()[leaf], tree, counts, hard, need);
  }
}

}  // namespace
}  // namespace gangplan::pack_property_test
