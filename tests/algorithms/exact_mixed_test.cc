// Gangs of several shapes with more than a few pods of the lesser ones: a placement is there also
// when the steps end before the search does.
#include <random>

#include "algorithms/leaf_room.h"
#include "tests/algorithms/exact_world.h"
#include "tests/algorithms/mixed_cluster.h"
#include "tests/support/rounds.h"

namespace gangplan::exact_mixed_test {
namespace {

using Kind = LevelRule::Kind;

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
    for (const auto& rules :
         std::vector<std::vector<std::optional<LevelRule>>>{{{}, {}, {}},
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

TEST_CASE("exact: pods of a second shape keep the limits of a node, however many fit there") {
  HalfUsed world(3);
  world.cluster.demands = {{1, 4}, {0, 2}};
  LevelRule two;
  two.max = 2;
  LevelRule three_or_four;
  three_or_four.min = 3;
  three_or_four.max = 4;
  LevelRule fours;
  fours.factor = 4;
  LevelRule even = Spread();
  even.hard = true;
  for (const LevelRule& rule : {two, three_or_four, fours, even}) {
    for (const int32_t others : {3, 8, 24}) {
      const PlacementRequest request = Request({1024 - others, others}, {{}, {}, rule});
      INFO(others << " others, max " << rule.max.value_or(0) << ", factor "
                  << rule.factor.value_or(1));
      CHECK(Broken(world.tree, world.cluster, request, world.Ask(request, kPlannersSteps)) == "");
      CHECK(Broken(world.tree, world.cluster, request, world.Ask(request, kCopysSteps)) == "");
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
    if (result.outcome == Outcome::kPlaced) CHECK(Broken(tree, cluster, request, result) == "");
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

}  // namespace gangplan::exact_mixed_test
