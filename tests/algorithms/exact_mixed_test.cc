// Gangs of several shapes with more than a few pods of the lesser ones: a placement is there also
// when the steps end before the search does.
#include <random>

#include "tests/algorithms/exact_world.h"
#include "tests/algorithms/mixed_cluster.h"
#include "tests/support/rounds.h"

namespace gangplan {
namespace {

using Kind = LevelRule::Kind;

constexpr int64_t kPlannersSteps = 2'000'000;

// What is wrong with a placement; empty: each member has its place, all fit, the rules are kept.
std::string Broken(const Tree& tree, const MixedCluster& cluster, const PlacementRequest& request,
                   const PlacementResult& result) {
  if (result.outcome != Outcome::kPlaced) return std::string(Name(result.outcome));
  PerLeaf totals;
  const std::string unfit = UnfitMembers(tree, cluster, request, result, totals);
  if (!unfit.empty()) return unfit;
  return PlacementKeyOf(tree, request, totals) ? "" : "a rule is broken";
}

// 10 blocks of 16 racks of 32 nodes with 8 devices and 64 cores, of which others use about half.
struct HalfUsed {
  std::vector<size_t> source;
  TreeSpec spec{3, {}};
  Tree tree;
  MixedCluster cluster;

  explicit HalfUsed(uint32_t seed) {
    std::mt19937 random(seed);
    constexpr int kNodes = 10 * 16 * 32;
    for (int i = 0; i < kNodes; ++i) {
      spec.leaves.push_back({i / 512, i / 32});
      cluster.free.push_back(
          {static_cast<int32_t>(random() % 9), static_cast<int32_t>(8 + random() % 57)});
    }
    tree = BuildTree(spec, InOrder(spec.leaves.size()), source);
  }
  PlacementResult Ask(const PlacementRequest& request, int64_t steps) {
    const PlacementView view{&tree, cluster.Counts(tree), &cluster};
    return Place(
        view, [&] { return view; }, request, Budget{steps});
  }
};

PlacementRequest Request(const std::vector<int32_t>& counts,
                         std::vector<std::optional<LevelRule>> rules) {
  PlacementRequest request;
  request.strategy = Strategy::kExact;
  for (size_t set = 0; set < counts.size(); ++set)
    request.pod_sets.push_back({fmt::format("s{}", set), counts[set], 0, false});
  request.rules = std::move(rules);
  return request;
}

LevelRule Pack(bool hard) {
  LevelRule rule;
  rule.hard = hard;
  return rule;
}

LevelRule Spread() {
  LevelRule rule;
  rule.kind = Kind::kSpread;
  return rule;
}

}  // namespace

TEST_CASE("exact: a gang with many pods of a second shape is placed at the planner's steps") {
  HalfUsed world(3);
  world.cluster.demands = {{2, 4}, {0, 16}};
  for (const int32_t others : {3, 4, 24, 64, 200}) {
    for (const auto& rules : std::vector<std::vector<std::optional<LevelRule>>>{
             {{}, {}, {}},
             {Pack(true), {}, {}},
             {{}, Pack(false), {}},
             {{}, Spread(), {}},
             {{}, {}, Spread()}}) {
      const PlacementRequest request = Request({256, others}, rules);
      INFO(others << " others");
      CHECK(Broken(world.tree, world.cluster, request, world.Ask(request, kPlannersSteps)) == "");
      CHECK(Broken(world.tree, world.cluster, request, world.Ask(request, 1)) == "");
    }
  }
}

TEST_CASE("exact: a gang of three shapes with 64 of the least is placed at the planner's steps") {
  HalfUsed world(4);
  world.cluster.demands = {{2, 4}, {1, 2}, {0, 16}};
  for (const auto& rules : std::vector<std::vector<std::optional<LevelRule>>>{
           {{}, {}, {}}, {Pack(true), {}, {}}, {{}, Pack(false), {}}}) {
    const PlacementRequest request = Request({256, 100, 64}, rules);
    CHECK(Broken(world.tree, world.cluster, request, world.Ask(request, kPlannersSteps)) == "");
  }
}

// Four blocks, each with fewer free nodes than the one before; a launcher, helpers and workers that
// take a node each.
TEST_CASE("exact: three shapes share the only block that has room for all of them, or none") {
  std::vector<size_t> source;
  TreeSpec spec{2, {}};
  MixedCluster cluster;
  constexpr int kBlocks = 4, kNodes = 50, kFree = 35;
  for (int i = 0; i < kBlocks * kNodes; ++i) {
    const int block = i / kNodes;
    spec.leaves.push_back({block});
    cluster.free.push_back({i % kNodes < kFree - 2 * block ? 8 : 3, 192});
  }
  const Tree tree = BuildTree(spec, InOrder(spec.leaves.size()), source);
  cluster.demands = {{0, 2}, {0, 8}, {8, 16}};
  const PlacementView view{&tree, cluster.Counts(tree), &cluster};
  const auto ask = [&](int32_t workers, int64_t steps) {
    const PlacementRequest request = Request({1, 4, workers}, {Pack(true), {}});
    const PlacementResult result = Place(
        view, [&] { return view; }, request, Budget{steps});
    if (result.outcome == Outcome::kPlaced)
      CHECK(Broken(tree, cluster, request, result) == "");
    return result;
  };
  for (const int64_t steps : {int64_t{1}, kPlannersSteps}) {
    for (const int32_t workers : {6, 30, 31, 34, kFree})
      CHECK(ask(workers, steps).outcome == Outcome::kPlaced);
    const PlacementResult beyond = ask(kFree + 1, steps);
    CHECK(beyond.outcome == Outcome::kImpossible);
    CHECK(beyond.proven);
    CHECK(beyond.most_when_empty == kFree + 5);
  }
}

TEST_CASE("exact: many pods of two shapes are placed with one step, too") {
  std::vector<size_t> source;
  const Tree tree = BuildTree({2, {{0}, {0}, {1}, {1}}}, InOrder(4), source);
  MixedCluster cluster;
  cluster.free = {{4, 2}, {4, 2}, {4, 1}, {4, 1}};
  cluster.demands = {{1, 1}, {2, 0}};
  const PlacementRequest request = Request({3, 4}, {{}, {}});
  const PlacementView view{&tree, cluster.Counts(tree), &cluster};
  for (const int64_t steps : {int64_t{1}, kPlannersSteps}) {
    const PlacementResult result = Place(
        view, [&] { return view; }, request, Budget{steps});
    CHECK(Broken(tree, cluster, request, result) == "");
  }
}

// Up to four pod sets of three resources on up to eight nodes: what can be placed is, at the
// planner's steps, and with fewer it is never called impossible.
void CompareMixed(int rounds, uint32_t seed) {
  std::mt19937 random(seed);
  const auto number = [&](uint32_t most) { return static_cast<int32_t>(random() % (most + 1)); };
  std::vector<size_t> source;
  int possible = 0, early = 0;
  for (int round = 0; round < rounds; ++round) {
    TreeSpec spec{3, {}};
    for (int32_t leaves = 2 + number(3), leaf = 0; leaf < leaves; ++leaf)
      spec.leaves.push_back({number(1), number(2)});
    const Tree tree = BuildTree(spec, InOrder(spec.leaves.size()), source);
    MixedCluster cluster;
    for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf)
      cluster.free.push_back({number(6), number(4), number(3)});
    std::vector<int32_t> counts = {3 + number(1), 2 + number(1)};
    for (int32_t more = number(2); more > 0; --more) counts.push_back(1);
    for (size_t set = 0; set < counts.size(); ++set)
      cluster.demands.push_back({1 + number(1), number(1), number(1)});
    std::vector<std::optional<LevelRule>> rules(static_cast<size_t>(tree.level_count()));
    for (auto& rule : rules) {
      if (random() % 3 == 0) rule = random() % 2 == 0 ? Pack(random() % 3 == 0) : Spread();
      if (rule && random() % 4 == 0) rule->max = 2 + number(2);
    }
    const PlacementRequest request = Request(counts, rules);
    const ReferenceBest best = EnumerateBest(
        tree, request,
        [&](int32_t leaf, std::span<const int32_t> pods) { return cluster.Holds(leaf, pods); });
    const PlacementView view{&tree, cluster.Counts(tree), &cluster};
    for (const int64_t steps : {int64_t{1}, int64_t{10'000}, kPlannersSteps}) {
      const PlacementResult result = Place(
          view, [&] { return view; }, request, Budget{steps});
      INFO("round " << round << " steps " << steps);
      if (result.outcome == Outcome::kInvalid) continue;
      if (!best.key) {
        CHECK(result.outcome != Outcome::kPlaced);
      } else if (result.outcome == Outcome::kPlaced) {
        CHECK(Broken(tree, cluster, request, result) == "");
        early += steps == 1 ? 1 : 0;
      } else {
        CHECK(steps != kPlannersSteps);
        CHECK(result.outcome == Outcome::kWait);
        CHECK_FALSE(result.proven);
      }
    }
    possible += best.key ? 1 : 0;
  }
  INFO(early << " of " << possible);
  CHECK(possible > rounds / 10);
  CHECK(early > possible * 3 / 4);  // a first placement is found for most of them
}

TEST_CASE("exact: a leader stands alone in a block that holds no worker") {
  std::vector<size_t> source;
  const Tree tree = BuildTree({3, {{0, 0}, {1, 1}, {1, 2}}}, InOrder(3), source);
  MixedCluster cluster;
  cluster.free = {{1}, {3}, {6}};
  cluster.demands = {{2}, {1}};
  LevelRule any;
  any.kind = Kind::kAny;
  const PlacementRequest request = Request({4, 2}, {{}, any, {}});
  const PlacementView view{&tree, cluster.Counts(tree), &cluster};
  for (const int64_t steps : {int64_t{1}, kPlannersSteps}) {
    const PlacementResult result = Place(
        view, [&] { return view; }, request, Budget{steps});
    CHECK(Broken(tree, cluster, request, result) == "");
  }
}

TEST_CASE("exact: what can be placed of several shapes is placed, whatever the steps") {
  CompareMixed(Rounds(300), 51);
}

TEST_CASE("exact: many random mixed gangs, whatever the steps", "[.long]") {
  CompareMixed(20'000, 52);
}

}  // namespace gangplan
