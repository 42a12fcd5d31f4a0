// Pod sets with rules of their own beside those of all, against every placement there is.
#include <functional>
#include <random>

#include "algorithms/exact/why.h"
#include "algorithms/leaf_room.h"
#include "tests/algorithms/own_rules_world.h"
#include "tests/support/rounds.h"

namespace gangplan::own_rules_test {
namespace {

using Kind = LevelRule::Kind;

struct World {
  Tree tree;
  MixedCluster cluster;
  PlacementRequest request;
};

// Blocks of racks of nodes, empty of sets.
World Cluster(int blocks, int racks, int nodes, const std::function<Amounts(int)>& free) {
  TreeSpec spec{3, {}};
  for (int leaf = 0; leaf < blocks * racks * nodes; ++leaf)
    spec.leaves.push_back({leaf / (racks * nodes), leaf / nodes});
  std::vector<size_t> source;
  World world{BuildTree(spec, InOrder(spec.leaves.size()), source), {}, {}};
  for (int32_t leaf = 0; leaf < world.tree.leaf_count(); ++leaf)
    world.cluster.free.push_back(free(static_cast<int>(source[static_cast<size_t>(leaf)])));
  world.request.strategy = Strategy::kExact;
  world.request.rules.resize(3);
  return world;
}

void AddSet(World& world, int32_t count, const Amounts& demand, LevelRules rules) {
  world.request.pod_sets.push_back({fmt::format("s{}", world.request.pod_sets.size()), count});
  world.request.pod_sets.back().rules = std::move(rules);
  world.cluster.demands.push_back(demand);
}

PlacementResult Ask(World& world, int64_t steps) {
  return Placed(world.tree, world.cluster, world.request, steps);
}

// Uneven nodes, so that few are alike.
Amounts Uneven(int leaf) { return {3 + leaf * 7 % 5, 2 + leaf * 11 % 4}; }

void Compare(int rounds, uint32_t seed, bool few_steps) {
  std::mt19937 random(seed);
  int placed = 0, waiting = 0;
  for (int round = 0; round < rounds; ++round) {
    OwnRulesCase one = RandomCase(random);
    const int64_t steps = few_steps ? int64_t{1} << (random() % 18) : kPlannersSteps;
    const std::string fault = FaultOf(one.tree, one.cluster, one.request, steps, !few_steps);
    if (!fault.empty()) FAIL("round " << round << ": " << Text(one) << "\n" << fault);
    const Outcome outcome = Placed(one.tree, one.cluster, one.request, steps).outcome;
    placed += outcome == Outcome::kPlaced ? 1 : 0;
    waiting += outcome == Outcome::kImpossible || outcome == Outcome::kWait ? 1 : 0;
  }
  CHECK(placed > rounds / 5);
  CHECK(waiting > rounds / 20);
}

TEST_CASE("own rules: are answered as every placement says") { Compare(Rounds(3'000), 71, false); }

TEST_CASE("own rules: with few steps nothing untrue is said") { Compare(Rounds(1'000), 72, true); }

TEST_CASE("own rules: many random cases", "[.long]") { Compare(30'000, 73, false); }

TEST_CASE("own rules: two sets that go apart find their place among many nodes") {
  for (const auto& [racks, count] : {std::pair{16, 256}, std::pair{800, 64}}) {
    World world = Cluster(4, racks, 16, Uneven);
    for (int set = 0; set < 2; ++set)
      AddSet(world, count, {1 + set, 1 + set},
             {std::nullopt, std::nullopt, Rule(Kind::kSpread, true)});
    INFO(racks * 64 << " nodes, twice " << count);
    CHECK(Ask(world, kCopysSteps).outcome == Outcome::kPlaced);
  }
}

TEST_CASE("own rules: fewer of the set that is in the way are told") {
  World world = Cluster(1, 1, 3, [](int) { return Amounts{8, 8}; });
  AddSet(world, 8, {1, 1}, {});
  AddSet(world, 4, {1, 1}, {std::nullopt, std::nullopt, Rule(Kind::kSpread, true)});
  const PlacementView view{&world.tree, world.cluster.Counts(world.tree), &world.cluster};
  const exact::WhyNot why = exact::Why(view, world.request, false, Budget{});
  CHECK(why.most == 11);
}

TEST_CASE("own rules: the empty cluster is judged as every placement says") {
  std::mt19937 random(1971);
  int possible = 0;
  for (int round = 0; round < Rounds(1'000); ++round) {
    OwnRulesCase one = RandomCase(random);
    const auto best = OwnRulesEnumeration(one.tree, one.cluster, one.request).Best();
    MixedCluster full = one.cluster, empty = one.cluster;
    for (Amounts& free : full.free) free = {0, 0};
    for (const FixedMember& member : one.request.fixed)
      for (size_t r = 0; r < 2; ++r) empty.free[member.leaf][r] += empty.demands[member.pod_set][r];
    const PlacementView now{&one.tree, full.Counts(one.tree), &full};
    const PlacementView later{&one.tree, empty.Counts(one.tree), &empty};
    const PlacementResult result = Place(
        now, [&] { return later; }, one.request, Budget{kCopysSteps});
    if (result.outcome == Outcome::kInvalid || result.outcome == Outcome::kPlaced) continue;
    possible += best ? 1 : 0;
    INFO("round " << round);
    REQUIRE((result.outcome == Outcome::kWait) == best.has_value());
  }
  CHECK(possible > 20);
}

}  // namespace
}  // namespace gangplan::own_rules_test
