// The general request through the tas engine: rules to Kueue's words, verdicts, ranks, repair.
#include "algorithms/tas/engine.h"

#include "algorithms/explain.h"
#include "tests/algorithms/pack_world.h"

namespace gangplan::tas_engine_test {
namespace {

LevelRule Soft() { return LevelRule{}; }

LevelRule Slices(int32_t size) {
  LevelRule rule;
  rule.kind = LevelRule::Kind::kAny;
  rule.factor = size;
  return rule;
}

// Two racks of one block and one of another; rack-b holds most.
struct TasPackWorld : PackWorld {
  TasPackWorld()
      : PackWorld({{"b1", "ra", "n1", 2, 4},
                   {"b1", "ra", "n2", 4, 4},
                   {"b1", "rb", "n3", 4, 4},
                   {"b1", "rb", "n4", 4, 4},
                   {"b2", "rc", "n5", 3, 4}}) {
    request.strategy = Strategy::kTas;
  }
  std::vector<std::string> NodesOf(int32_t count) {
    std::vector<std::string> nodes;
    for (const PlacedMember& member : Solve(count).members)
      nodes.push_back(tree.name(2, member.leaf));
    return nodes;
  }
  std::string Reason(int32_t count) {
    const PlacementResult result = Solve(count);
    return ShortReason(tree, request, result, "gang g");
  }
};

using Names = std::vector<std::string>;

TEST_CASE("Tas: a hard pack is required, the tightest rack that holds all") {
  TasPackWorld world;
  world.Hard(1);
  CHECK(world.NodesOf(6) == Names{"n1", "n1", "n2", "n2", "n2", "n2"});
  CHECK(world.NodesOf(8) == Names{"n3", "n3", "n3", "n3", "n4", "n4", "n4", "n4"});
}

TEST_CASE("Tas: a soft pack is preferred and goes upwards") {
  TasPackWorld world;
  world.request.rules[1] = Soft();
  CHECK(world.Solve(14).outcome == Outcome::kPlaced);
  CHECK(world.Solve(17).outcome == Outcome::kPlaced);
}

TEST_CASE("Tas: no rule is unconstrained, the least room first") {
  TasPackWorld world;
  CHECK(world.NodesOf(2) == Names{"n1", "n1"});
}

TEST_CASE("Tas: a factor is slices that share one domain") {
  TasPackWorld world;
  world.Hard(0);
  world.request.rules[2] = Slices(4);
  CHECK(world.NodesOf(8) == Names{"n3", "n3", "n3", "n3", "n4", "n4", "n4", "n4"});
  CHECK(world.Solve(16).outcome == Outcome::kWait);
}

TEST_CASE("Tas: wait and impossible in words") {
  TasPackWorld world;
  world.Hard(1);
  CHECK(world.Reason(9) ==
        "gang g: impossible: 9 members must share one rack; the largest holds 8 when it is empty");
  world.request.rules[1].reset();
  world.Hard(0);
  world.request.rules[2] = Slices(4);
  CHECK(world.Reason(16) ==
        "gang g: 16 members in slices of 4 that share one node must share one block; no block has "
        "room for all of them now");
}

TEST_CASE("Tas: a member that is missing goes where its slice is") {
  TasPackWorld world;
  world.Hard(0);
  world.request.rules[1] = Slices(4);
  for (int32_t rank : {0, 1, 2}) world.Stand("n2", rank);
  const PlacementResult result = world.Solve(4);
  REQUIRE(result.outcome == Outcome::kPlaced);
  REQUIRE(result.members.size() == 1);
  CHECK(result.members[0].rank == 3);
  CHECK(world.tree.Ancestor(result.members[0].leaf, 1) == world.tree.Ancestor(world.Leaf("n2"), 1));
}

TEST_CASE("Tas: what Kueue's answer leaves out is told, and no half gang is placed") {
  TasPackWorld world;
  world.request.tas.compatibility = KueueCompatibility::kExact;
  world.Hard(0);
  world.request.rules[2] = Slices(2);
  CHECK(world.NodesOf(4).size() == 4);
  const PlacementResult odd = world.Solve(5);
  CHECK(odd.outcome == Outcome::kInvalid);
  CHECK(odd.members.empty());
  CHECK(odd.problem ==
        "5 members in slices of 2: Kueue drops the last 1 (engines.tas.kueueCompatibility: exact); "
        "fixed places all");
  world.request.tas.compatibility = KueueCompatibility::kFixed;
  CHECK(world.NodesOf(5).size() == 5);
}

TEST_CASE("Tas: beside what stands a rest is left out as the room of domains has it") {
  TasPackWorld world;
  world.request.tas.compatibility = KueueCompatibility::kExact;
  world.Hard(0);
  world.request.rules[2] = Slices(3);
  world.Stand("n3", 0);
  world.Stand("n4", 1);
  CHECK(world.Solve(6).outcome == Outcome::kWait);
  CHECK(world.Reason(6) ==
        "gang g: Kueue leaves out 1 of 4 members (engines.tas.kueueCompatibility: exact); fixed "
        "places all");
  world.request.tas.compatibility = KueueCompatibility::kFixed;
  CHECK(world.Solve(6).members.size() == 4);
}

TEST_CASE("Tas: as Kueue has it, all that is missing beside what stands is placed at once") {
  for (const auto one : {KueueCompatibility::kExact, KueueCompatibility::kFixed}) {
    TasPackWorld world;
    world.request.tas.compatibility = one;
    world.Hard(1);
    world.Stand("n3", 0);
    world.Stand("n4", 2);
    const PlacementResult result = world.Solve(6);
    REQUIRE(result.outcome == Outcome::kPlaced);
    REQUIRE(result.members.size() == 4);
    for (const PlacedMember& member : result.members)
      CHECK(world.tree.Ancestor(member.leaf, 1) == world.tree.Ancestor(world.Leaf("n3"), 1));
  }
}

TEST_CASE("Tas: what Kueue has no word for is refused") {
  TasPackWorld world;
  LevelRule rule;
  rule.kind = LevelRule::Kind::kSpread;
  world.request.rules[1] = rule;
  CHECK(world.Solve(2).problem == "the tas engine knows pack and factor only");
  world.Hard(1);
  world.request.rules[0] = Slices(2);
  CHECK(world.Solve(2).problem ==
        "slices in one block of pods that share one rack: the slices' level is above");
  world.request.rules = {Slices(4), Slices(3), std::nullopt};
  CHECK(world.Solve(12).problem ==
        "slices of 4 in a block do not divide into slices of 3 in a rack");
}

}  // namespace
}  // namespace gangplan::tas_engine_test
