// One or two pods of other shapes beside the workers, in clusters of many domains that all differ:
// what the ways to host them cost is known without a look at each.
#include <algorithm>
#include <random>
#include <set>

#include "algorithms/leaf_room.h"
#include "tests/algorithms/exact_world.h"
#include "tests/algorithms/mixed_cluster.h"
#include "tests/support/level_rule.h"

namespace gangplan::exact_leaders_test {
namespace {

using Kind = LevelRule::Kind;
using Rules = std::vector<std::optional<LevelRule>>;

constexpr int kBlockLevel = 0, kRackLevel = 1;

// Blocks of racks of ten nodes with up to 8 devices free and two cores for each, and some more.
struct Racks {
  TreeSpec spec{3, {}};
  std::vector<size_t> source;
  Tree tree;
  MixedCluster cluster;

  Racks(int blocks, int racks) {
    std::mt19937 random(11);
    for (int i = 0; i < blocks * racks * 10; ++i) {
      const auto devices = static_cast<int32_t>(random() % 9);
      spec.leaves.push_back({i / 10 / racks, i / 10});
      cluster.free.push_back({devices, 2 * devices + static_cast<int32_t>(random() % 4)});
    }
    tree = BuildTree(spec, InOrder(spec.leaves.size()), source);
    cluster.demands = {{0, 3}, {1, 2}};
  }
  PlacementResult Ask(int32_t leaders, int32_t workers, const Rules& rules, int64_t steps,
                      const std::vector<FixedMember>& fixed = {}) {
    PlacementRequest request;
    request.strategy = Strategy::kExact;
    request.pod_sets = {{"leaders", leaders, 0, false}, {"workers", workers, 0, false}};
    request.rules = rules;
    request.fixed = fixed;
    const PlacementView view{&tree, cluster.Counts(tree), &cluster};
    const PlacementResult result = Place(
        view, [&] { return view; }, request, Budget{steps});
    REQUIRE(result.outcome == Outcome::kPlaced);
    PerLeaf totals;
    CHECK(UnfitMembers(tree, cluster, request, result, totals) == "");
    CHECK(PlacementKeyOf(tree, request, totals));
    return result;
  }
};

}  // namespace

TEST_CASE("exact: two leaders among a thousand racks that all differ are proven") {
  Racks world(1, 1'000);
  for (const Rules& rules : {Rules{{}, {}, {}}, Rules{{}, Rule(Kind::kSpread), {}}}) {
    for (const int32_t leaders : {1, 2}) CHECK(world.Ask(leaders, 510, rules, kCopysSteps).proven);
  }
}

TEST_CASE("exact: two leaders that many racks may host are proven within a few steps") {
  Racks world(4, 40);
  const Rules four = {{}, Rule(Kind::kPack, false, 4), {}};  // one rack takes nearly all
  const Rules even = {Rule(Kind::kPack, false, 2), Rule(Kind::kSpread), {}};
  const Rules gaps = {{}, {}, Rule(Kind::kSpread, false, 0, 3, 4)};  // no rack takes five
  for (const Rules& rules : {four, even, gaps})
    CHECK(world.Ask(2, 64, rules, 2 * kPlannersSteps).proven);
}

TEST_CASE("exact: beside leaders racks are as even as they can be when the steps end") {
  Racks world(1, 160);
  const Rules rules = {{}, Rule(Kind::kSpread), {}};
  for (const int32_t leaders : {1, 2}) {
    for (const int64_t steps : {1, 1'000, 30'000}) {
      const PlacementResult result = world.Ask(leaders, 200, rules, steps);
      INFO(leaders << " leaders, " << steps << " steps");
      if (result.gap) CHECK(result.gap->level > kRackLevel);
    }
  }
}

TEST_CASE("exact: beside leaders blocks are used as in the best placement when the steps end") {
  Racks world(6, 10);
  const Rules none = {{}, {}, {}};
  const auto blocks = [&](int64_t steps) {
    std::vector<int32_t> members(6, 0);
    for (const PlacedMember& member : world.Ask(2, 900, none, steps).members)
      ++members[world.tree.Ancestor(member.leaf, kBlockLevel)];
    std::sort(members.begin(), members.end());
    return members;
  };
  const std::vector<int32_t> best = blocks(kCopysSteps);
  for (const int64_t steps : {1, 1'000, 30'000}) CHECK(blocks(steps) == best);
}

TEST_CASE("exact: beside a member that stands and two leaders the fewest racks are used") {
  Racks world(1, 200);
  const auto racks = [&](int64_t steps) {
    std::set<int32_t> used = {0};
    for (const PlacedMember& member : world.Ask(2, 600, {{}, {}, {}}, steps, {{1, 0, 3}}).members)
      used.insert(world.tree.Ancestor(member.leaf, kRackLevel));
    return used.size();
  };
  for (const int64_t steps : {int64_t{1}, kCopysSteps}) CHECK(racks(steps) <= 13);
}

TEST_CASE("exact: a spread where the hosts use up the places that its least leaves") {
  TreeSpec spec{3, {}};
  for (int i = 0; i < 5; ++i) spec.leaves.push_back({0, 0});
  std::vector<size_t> source;
  const Tree tree = BuildTree(spec, InOrder(spec.leaves.size()), source);
  MixedCluster cluster;
  cluster.free = {{10, 50}, {30, 30}, {30, 16}, {16, 16}, {16, 16}};
  cluster.demands = {{0, 40}, {11, 1}, {1, 1}};
  PlacementRequest request;
  request.strategy = Strategy::kExact;
  request.pod_sets = {{"a", 1, 0, false}, {"b", 1, 1, false}, {"workers", 27, 2, false}};
  request.rules = {{}, {}, Rule(Kind::kSpread, false, 0, 10)};
  const PlacementView view{&tree, cluster.Counts(tree), &cluster};
  const PlacementResult result = Place(
      view, [&] { return view; }, request, Budget{kCopysSteps});
  REQUIRE(result.outcome == Outcome::kPlaced);
  std::vector<int32_t> counts(5, 0);
  for (const PlacedMember& member : result.members) ++counts[static_cast<size_t>(member.leaf)];
  CHECK(counts == std::vector<int32_t>{11, 18, 0, 0, 0});
}

TEST_CASE("exact: two leaders on thousands of nodes that all differ end with their steps") {
  TreeSpec spec{3, {}};
  MixedCluster cluster;
  for (int i = 0; i < 2'000; ++i) {
    spec.leaves.push_back({0, 0});
    cluster.free.push_back({i + 1, 2 * i});
  }
  std::vector<size_t> source;
  const Tree tree = BuildTree(spec, InOrder(spec.leaves.size()), source);
  cluster.demands = {{1, 1}, {1, 2}};
  PlacementRequest request;
  request.strategy = Strategy::kExact;
  request.pod_sets = {{"leaders", 2, 0, false}, {"workers", 20'000, 1, false}};
  request.rules = {{}, {}, Rule(Kind::kSpread)};
  const PlacementView view{&tree, cluster.Counts(tree), &cluster};
  const PlacementResult result = Place(
      view, [&] { return view; }, request, Budget{kPlannersSteps});
  CHECK(result.outcome == Outcome::kPlaced);
}

TEST_CASE("exact: of two best splits one that was too large to set out hides no better host") {
  TreeSpec spec{2, {{0}, {1}, {1}, {2}, {2}}};
  for (int32_t rack = 3; rack < 10; ++rack) spec.leaves.push_back({rack});
  std::vector<size_t> source;
  const Tree tree = BuildTree(spec, InOrder(spec.leaves.size()), source);
  MixedCluster cluster;
  cluster.free = {{317, 0}, {210, 0}, {60, 0}, {40, 0}, {50, 0}};
  cluster.free.resize(spec.leaves.size(), {10, 0});
  cluster.demands = {{55, 0}, {10, 0}};
  PlacementRequest request;
  request.strategy = Strategy::kExact;
  request.pod_sets = {{"leader", 1, 0, false}, {"workers", 59, 1, false}};
  request.rules.resize(2);
  request.fixed = {{1, 0, 3}};
  const PlacementView view{&tree, cluster.Counts(tree), &cluster};
  const PlacementResult result = Place(
      view, [&] { return view; }, request, Budget{kCopysSteps});
  REQUIRE(result.outcome == Outcome::kPlaced);
  CHECK(result.proven);
  std::vector<int32_t> counts(spec.leaves.size(), 0);
  for (const PlacedMember& member : result.members) ++counts[static_cast<size_t>(member.leaf)];
  CHECK(counts[0] == 31);
}

}  // namespace gangplan::exact_leaders_test
