// What is placed beside loads when the steps have ended: by what children take together where that
// is not too large to be set out, and else some other way, never nothing that is called proven.
#include <numeric>

#include "algorithms/exact/field.h"
#include "algorithms/exact/shapes.h"
#include "algorithms/exact/solver.h"
#include "algorithms/exact/terms.h"
#include "tests/algorithms/exact_world.h"
#include "tests/algorithms/mixed_cluster.h"
#include "tests/support/level_rule.h"

namespace gangplan::exact_any_test {
namespace {

// Nodes side by side with room for six workers, or four beside each leader.
struct Nodes {
  std::vector<size_t> source;
  Tree tree;
  MixedCluster cluster;
  PlacementRequest request;

  Nodes(int32_t nodes, int32_t members, const LevelRule& rule, int32_t stand) {
    const TreeSpec spec{1, std::vector<std::vector<int>>(static_cast<size_t>(nodes))};
    tree = BuildTree(spec, InOrder(spec.leaves.size()), source);
    cluster.free.assign(static_cast<size_t>(nodes), {6});
    cluster.demands = {{1}, {2}};
    request.strategy = Strategy::kExact;
    request.pod_sets = {{"workers", members - 2, 0, -1}, {"leaders", 2, 0, -1}};
    request.rules = {rule};
    for (int32_t rank = 0; rank < stand; ++rank) request.fixed.push_back({0, rank, 3 * rank});
  }
  PlacementView View() { return {&tree, cluster.Counts(tree), &cluster}; }

  // Of the nodes of a placement of all, by AnyLoaded; nothing where it gives none.
  std::optional<PerLeaf> Any(int64_t most_steps) {
    const PlacementView view = View();
    const exact::Shapes shapes(view, request, false);
    const exact::Loads loads(shapes);
    const std::vector<exact::Terms> terms = exact::TermsOf(tree, request);
    std::vector<exact::SpecialLeaf> special;
    const exact::Mix none(shapes.all().size(), 0);
    for (const int32_t leaf : shapes.standing())
      special.push_back({leaf, shapes.Stands(leaf), shapes.Fit(leaf, shapes.main(), none)});
    const int32_t members = request.pod_sets[0].count + request.pod_sets[1].count;
    exact::Field field(
        {&tree, &shapes.counts(shapes.main()), special, terms, members, 0, &loads, most_steps});
    REQUIRE_FALSE(field.ended());
    REQUIRE(field.Has(field.reach(-1, field.Whole()), members));
    const auto any = field.AnyLoaded(-1, 0, loads.whole(), members);
    if (!any) return std::nullopt;
    PerLeaf taken(static_cast<size_t>(tree.leaf_count()), 0);
    int32_t load = 0;
    for (const exact::LoadedCount& one : *any) {
      CHECK(field.Has(field.reach(0, one.child), one.members));
      taken[static_cast<size_t>(field.Unloaded(0, one.child))] += one.members;
      load += field.LoadOf(0, one.child);
    }
    CHECK(load == loads.whole());
    CHECK(std::accumulate(taken.begin(), taken.end(), 0) == members);
    return taken;
  }
};

}  // namespace

TEST_CASE("exact: any placement beside loads: where others stand, on as many nodes as there are") {
  Nodes world(6'000, 20'000, LevelRule{}, 1'000);
  // A table would have 6,001 layers of three sets of 20,001 numbers.
  const std::optional<PerLeaf> taken = world.Any(1'000'000);
  REQUIRE(taken);
  for (int32_t rank = 0; rank < 1'000; ++rank) CHECK((*taken)[static_cast<size_t>(3 * rank)] > 0);
}

// Blocks of two racks of three nodes, of which no two are alike.
TEST_CASE("exact: beyond the bytes that may be kept it is as if the steps had ended") {
  constexpr int32_t kRacks = 8, kMembers = 50;
  TreeSpec spec{3, {}};
  PerLeaf room;
  for (int32_t leaf = 0; leaf < 3 * kRacks; ++leaf) {
    spec.leaves.push_back({leaf / 6, leaf / 3 % 2});
    room.push_back(1 + (leaf * 5) % 7);
  }
  std::vector<size_t> source;
  const Tree tree = BuildTree(spec, InOrder(spec.leaves.size()), source);
  const FitCounts counts = RollUpCounts(tree, room);
  const LevelRules rules(3, Rule(LevelRule::Kind::kSpread));
  PlacementRequest request;
  request.pod_sets = {{"workers", kMembers, 0, -1}};
  request.rules = rules;
  const std::vector<exact::Terms> terms = exact::TermsOf(tree, request);
  const auto solve = [&](int64_t most_kept_bytes) {
    exact::Field field({&tree, &counts, {}, terms, kMembers, 2});
    int64_t steps = 1'000'000;
    auto found = exact::Solve(field, steps, most_kept_bytes);
    REQUIRE(found);
    int32_t members = 0;
    for (const exact::LeafMembers& one : found->leaves) {
      CHECK(one.members <= room[static_cast<size_t>(one.leaf)]);
      members += one.members;
    }
    CHECK(members == kMembers);
    CHECK((steps > 0) == found->best);
    return found->best;
  };
  CHECK(solve(exact::kMostKeptBytes));
  CHECK_FALSE(solve(100));
}

TEST_CASE("exact: any placement beside loads: counted nodes, each with a least number") {
  const LevelRule rule = Rule(LevelRule::Kind::kSpread, false, 7, 3);
  Nodes world(20, 30, rule, 0);
  const std::optional<PerLeaf> taken = world.Any(1'000'000);
  REQUIRE(taken);
  CHECK(std::count(taken->begin(), taken->end(), 0) == 20 - 7);
}

TEST_CASE("exact: any placement beside loads: none from a table that is too large") {
  const LevelRule rule = Rule(LevelRule::Kind::kSpread, false, 500);
  Nodes world(1'000, 1'200, rule, 0);
  CHECK_FALSE(world.Any(100'000'000));  // 1,001 layers of 1,503 sets: 330 MB
  for (const int64_t steps : {int64_t{1}, kPlannersSteps}) {
    const PlacementView view = world.View();
    const PlacementResult result = Place(
        view, [&] { return view; }, world.request, Budget{steps});
    REQUIRE(result.outcome == Outcome::kPlaced);
    PerLeaf totals;
    CHECK(UnfitMembers(world.tree, world.cluster, world.request, result, totals) == "");
    CHECK(PlacementKeyOf(world.tree, world.request, totals));
  }
}

}  // namespace gangplan::exact_any_test
