// Why the exact engine has no placement, and which engine a request gets.
#include "algorithms/exact/why.h"

#include "algorithms/explain.h"
#include "algorithms/packs.h"
#include "tests/algorithms/pack_world.h"

namespace gangplan::exact_why_test {
namespace {

using Kind = LevelRule::Kind;

// Two racks of two nodes and a third of one: room for 4 + 4, 3 + 1 and 2.
PackWorld World(int32_t members) {
  PackWorld world({{"a", "r1", "n1", 4, 4},
                   {"a", "r1", "n2", 4, 4},
                   {"a", "r2", "n3", 3, 4},
                   {"a", "r2", "n4", 1, 4},
                   {"b", "r3", "n5", 2, 4}});
  world.request.strategy = Strategy::kExact;
  world.request.pod_sets = {{"", members, 0, false}};
  return world;
}

LevelRule& Rule(PackWorld& world, int level, Kind kind) {
  world.request.rules[level] = LevelRule{};
  world.request.rules[level]->kind = kind;
  return *world.request.rules[level];
}

exact::WhyNot WhyNotOf(const PackWorld& world) {
  return exact::Why({&world.tree, {&world.now}}, world.request, false, Budget{});
}

std::string TextOf(const PackWorld& world) {
  return EvidenceText({&world.tree, {&world.now}}, {&world.tree, {&world.empty}}, world.request,
                      Budget{});
}

TEST_CASE("exact: the first rule that fails from the top, the nearest, and the change that helps") {
  PackWorld world = World(10);
  Rule(world, 0, Kind::kPack);
  Rule(world, 1, Kind::kSpread).partitions = 3;
  Rule(world, 2, Kind::kPack).min = 2;
  const exact::WhyNot why = WhyNotOf(world);
  CHECK(why.failing_level == 1);  // no block has three racks
  CHECK(why.most == 0);
  CHECK(why.nearest.empty());
  REQUIRE(why.weaker);
  CHECK(why.weaker->level == 1);
  CHECK(why.weaker->rule.partitions == 2);
  CHECK(TextOf(world).ends_with("the empty cluster has no placement for any number of members"));
}

TEST_CASE("exact: fewer members are tried by solving") {
  PackWorld world = World(13);
  Rule(world, 2, Kind::kPack).min = 3;
  const exact::WhyNot why = WhyNotOf(world);
  CHECK(why.failing_level == 2);
  CHECK(why.most == 11);
  REQUIRE(why.nearest.size() == 3);
  REQUIRE(why.weaker);
  CHECK(why.weaker->rule.min == 2);
  CHECK(TextOf(world) ==
        "  asked: 13 members by node=pack min=3\n"
        "  the first rule that fails: node=pack min=3\n"
        "  nearest: 11 of 13 fit by these rules: 4 on a/r1/n1, 4 on a/r1/n2, 3 on a/r2/n3\n"
        "  would be placed with node=pack min=2\n"
        "  would be placed with 2 members fewer\n"
        "  the empty cluster has a placement");
}

TEST_CASE("exact: the least change of one word, else the rule without its words") {
  PackWorld world = World(8);
  Rule(world, 1, Kind::kPack).partitions = 1;
  Rule(world, 0, Kind::kPack).hard = true;
  world.request.rules[1]->max = 5;
  REQUIRE(WhyNotOf(world).weaker);
  CHECK(WhyNotOf(world).weaker->rule.max == 8);
  world.request.pod_sets[0].count = 9;  // no rack holds 9, two hold 5 and 4
  REQUIRE(WhyNotOf(world).weaker);
  CHECK(WhyNotOf(world).weaker->rule.partitions == 2);
  world.request.pod_sets[0].count = 12;  // two of 5 are too few, and no rack holds 12
  REQUIRE(WhyNotOf(world).weaker);
  CHECK(*WhyNotOf(world).weaker == exact::Weaker{1, LevelRule{}});
}

TEST_CASE("exact: without any rule the room decides, and packs are told by room") {
  PackWorld world = World(15);
  CHECK(WhyNotOf(world).failing_level == -1);
  CHECK(!WhyNotOf(world).weaker);
  CHECK(WhyNotOf(world).most == 14);
  const auto reason = [&](int32_t members) {
    const PlacementResult result = world.Solve(members);
    return ShortReason(world.tree, world.request, result, "gang default/trainer");
  };
  CHECK(reason(15) == "gang default/trainer: there is no room for all 15 members now");
  CHECK(reason(21) == "gang default/trainer: impossible: 21 members; the empty cluster holds 20");
  Rule(world, 2, Kind::kSpread);
  CHECK(reason(15) ==
        "gang default/trainer: there is no placement of 15 members by node=spread now");
  CHECK(reason(21) ==
        "gang default/trainer: impossible: 21 members by node=spread; the empty cluster has a "
        "placement for 20 at most");
}

TEST_CASE("exact: packs that do not leave one domain to all are told by their rules") {
  PackWorld world = World(5);
  world.request.rules[1] = HardPack();  // one rack in each block: 4 + 4 and 2
  const PlacementResult wait = world.Solve(11);
  CHECK(wait.outcome == Outcome::kWait);
  CHECK(ShortReason(world.tree, world.request, wait, "gang default/trainer") ==
        "gang default/trainer: there is no placement of 11 members by rack=pack! now");
  CHECK_THAT(TextOf(world), StartsWith("  asked: 11 members by rack=pack!\n"));
  world.Stand("n1", 0);
  world.Stand("n5", 1);  // allowed: each in a block of its own
  CHECK(world.Solve(3).outcome == Outcome::kPlaced);
  BindUpwards(world.request.rules);
  CHECK(world.Text(3) == "invalid: rack=pack!: members already stand in a/r1 and in b/r3");
}

TEST_CASE("our own words: hard packs bind upwards, but not through a level that asks for several") {
  LevelRules rules(3);
  rules[1] = HardPack();
  CHECK(PlainPacks(rules));
  BindUpwards(rules);
  CHECK(rules == LevelRules{HardPack(), HardPack(), std::nullopt});
  CHECK(PlainPacks(rules));

  LevelRule spread;
  spread.kind = Kind::kSpread;
  rules = {spread, HardPack(), spread};
  CHECK(!PlainPacks(rules));
  BindUpwards(rules);
  CHECK(rules == LevelRules{spread, HardPack(), spread});
}

}  // namespace
}  // namespace gangplan::exact_why_test
