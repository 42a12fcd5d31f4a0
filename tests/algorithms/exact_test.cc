// What the exact engine says: contradictions, outcomes, ties, the end of the budget.
#include "tests/algorithms/pack_world.h"
#include "tests/support/level_rule.h"

namespace gangplan::exact_test {
namespace {

using Kind = LevelRule::Kind;

PackWorld World(const std::vector<LeafSpec>& specs) {
  PackWorld world(specs);
  world.request.strategy = Strategy::kExact;
  return world;
}

PackWorld Readme() {
  PackWorld world = ReadmeCluster();
  world.request.strategy = Strategy::kExact;
  return world;
}

TEST_CASE("exact: the best level by level from the top") {
  PackWorld world = Readme();
  // One block, one rack, and there the largest squares: 4 + 4 in rack-1.
  CHECK(world.Text(8) == "n1:0,1,2,3 n2:4,5,6,7");
  world.request.rules[1] = Rule(Kind::kSpread);
  // One block still; block-1 has two racks, so it is more even than block-2.
  CHECK(world.Text(8) == "n1:0,1,2,3 n4:4,5 n5:6,7");
  world.request.rules[2] = Rule(Kind::kSpread);
  CHECK(world.Text(8) == "n1:0,1 n2:2 n3:3 n4:4 n5:5 n6:6 n7:7");
}

TEST_CASE("exact: equal ones go to the least room, then to the first by path") {
  PackWorld world = World({{"a", "r1", "n1", 5},
                           {"a", "r1", "n2", 3},
                           {"a", "r2", "n3", 3},
                           {"a", "r2", "n4", 3},
                           {"b", "r3", "n5", 3},
                           {"b", "r3", "n6", 3}});
  CHECK(world.Text(3) == "n5:0,1,2");
  CHECK(world.Text(5) == "n1:0,1,2,3,4");
}

TEST_CASE("exact: members that stand count in every rule") {
  PackWorld world = Readme();
  world.request.rules[1] = Rule(Kind::kPack, true);
  world.request.rules[0] = Rule(Kind::kPack, true);
  world.Stand("n4", 0);
  CHECK(world.Text(3) == "n4:1,2");
  CHECK(world.Text(10) == "impossible");
  world.request.rules[2] = Rule(Kind::kSpread, true);
  CHECK(world.Text(3) == "n5:1 n6:2");
  CHECK(world.Text(5) == "impossible");
}

TEST_CASE("exact: wait when the empty cluster has a placement, with the most it admits if not") {
  PackWorld world = World({{"a", "r1", "n1", 1, 4}, {"a", "r1", "n2", 0, 4}});
  LevelRule rule = Rule(Kind::kPack);
  rule.min = 3;
  world.request.rules[2] = rule;
  CHECK(world.Solve(6).outcome == Outcome::kWait);
  const PlacementResult never = world.Solve(9);
  CHECK(never.outcome == Outcome::kImpossible);
  CHECK(never.most_when_empty == 8);
  // Two nodes take three or four each, so five is between all that is possible.
  CHECK(world.Solve(5).most_when_empty == 4);
}

TEST_CASE("exact: what contradicts is named with its level") {
  PackWorld world = Readme();
  const auto problem = [&](int level, const LevelRule& rule, int32_t members) {
    world.request.rules.assign(3, std::nullopt);
    world.request.rules[level] = rule;
    return world.Text(members);
  };
  LevelRule rule = Rule(Kind::kPack);
  rule.min = 4;
  rule.max = 3;
  CHECK(problem(1, rule, 8) == "invalid: rack=pack min=4 max=3: min 4 is greater than max 3");
  rule.max = 5;
  rule.factor = 3;
  CHECK(problem(1, rule, 9) ==
        "invalid: rack=pack min=4 max=5 factor=3: no multiple of 3 lies between 4 and 5");
  rule = Rule(Kind::kPack, true);
  rule.partitions = 2;
  CHECK(problem(0, rule, 8) ==
        "invalid: block=pack! partitions=2: a hard pack uses one domain, not 2");
  rule = Rule(Kind::kSpread, true);
  rule.min = 2;
  CHECK(problem(2, rule, 8) ==
        "invalid: node=spread! min=2: a hard spread puts one member in a domain, min asks for 2");
  rule = Rule(Kind::kPack);
  rule.factor = 3;
  CHECK(problem(2, rule, 8) == "invalid: node=pack factor=3: 8 members are no multiple of 3");
  rule = Rule(Kind::kPack);
  rule.min = 5;
  CHECK(problem(2, rule, 4) ==
        "invalid: node=pack min=5: a used node has at least 5 members, the group has 4");
  world.request.rules[1] = Rule(Kind::kPack);
  world.request.rules[1]->max = 4;
  CHECK(world.Text(10) ==
        "invalid: rack=pack max=4: the rules below put at least 5 members into one rack");
}

TEST_CASE("exact: a domain without room, a level with one domain and a tree without nodes") {
  PackWorld world = World({{"a", "r1", "n1", 2}, {"b", "r2", "n2", 0}});
  world.request.rules[0] = Rule(Kind::kSpread);
  CHECK(world.Text(2) == "n1:0,1");
  world.request.rules[0]->partitions = 2;
  CHECK(world.Text(2) == "impossible");
  PackWorld none = World({});
  CHECK(none.Text(1) == "impossible");
}

// Racks whose sets have gaps, so that only a table tells what is best.
TEST_CASE("exact: when the steps end the placement keeps the rules and is not proven") {
  std::vector<LeafSpec> specs;
  for (int i = 0; i < 40; ++i)
    specs.push_back({fmt::format("b{}", i % 2), fmt::format("r{}", i % 8), fmt::format("n{:02}", i),
                     3 + i % 3});
  PackWorld world = World(specs);
  LevelRule rule = Rule(Kind::kPack);
  rule.min = 3;
  rule.max = 4;
  world.request.rules[2] = rule;
  world.request.pod_sets = {{"", 53, 0, false}};
  const PlacementView view{&world.tree, {&world.now}};
  const auto place = [&](int64_t steps) {
    return Place(
        view, [&] { return view; }, world.request, Budget{steps});
  };
  const PlacementResult whole = place(Budget{}.steps);
  REQUIRE(whole.outcome == Outcome::kPlaced);
  CHECK(whole.proven);
  bool unproven = false;
  for (int64_t steps = 1; steps < 4000; steps = steps * 3 / 2 + 1) {
    const PlacementResult result = place(steps);
    REQUIRE(result.outcome == Outcome::kPlaced);
    unproven = unproven || !result.proven;
    PerLeaf members(world.tree.leaf_count(), 0);
    for (const PlacedMember& member : result.members) ++members[member.leaf];
    for (int32_t count : members) CHECK((count == 0 || count == 3 || count == 4));
    CHECK(result.members.size() == 53);
    CHECK(place(steps).members == result.members);
  }
  CHECK(unproven);
}

}  // namespace
}  // namespace gangplan::exact_test
