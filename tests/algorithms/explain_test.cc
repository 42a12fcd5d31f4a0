#include "algorithms/explain.h"

#include "tests/algorithms/pack_world.h"

namespace gangplan::explain_test {
namespace {

std::string Short(PackWorld& world, int32_t count) {
  PlacementResult result = world.Solve(count);
  return ShortReason(world.tree, world.request, result, "gang default/trainer");
}

PackWorld Cluster() {
  return PackWorld({{"b1", "r1", "a", 2, 4}, {"b1", "r2", "b", 3, 4}, {"b2", "r3", "c", 1, 3}});
}

TEST_CASE("the short reason tells rule and size, and no live count") {
  PackWorld world = Cluster();
  CHECK(Short(world, 6) == "");
  CHECK(Short(world, 7) == "gang default/trainer: there is no room for all 7 members now");
  CHECK(Short(world, 12) ==
        "gang default/trainer: impossible: 12 members; the empty cluster holds 11");
  CHECK(Short(world, 0) == "gang default/trainer: invalid: 0 members: at least 1 is needed");
  world.Hard(1);
  CHECK(
      Short(world, 4) ==
      "gang default/trainer: 4 members must share one rack; no rack has room for all of them now");
  CHECK(Short(world, 5) ==
        "gang default/trainer: impossible: 5 members must share one rack; the "
        "largest holds 4 when it is empty");
}

TEST_CASE("the short reason names the domain of those that stand") {
  PackWorld world = Cluster();
  world.Stand("a", 0);
  CHECK(Short(world, 8) ==
        "gang default/trainer: 1 of 8 members stand; there is no room for the "
        "other 7 now");
  world.Hard(1);
  CHECK(Short(world, 4) ==
        "gang default/trainer: 4 members must share one rack; b1/r1, where 1 of "
        "them stand, has no room for the other 3 now");
  CHECK(Short(world, 5) ==
        "gang default/trainer: impossible: 5 members must share one rack; b1/r1, "
        "where 1 of them stand, holds 4 when it is empty");
}

TEST_CASE("the evidence tells per level what came nearest and what is missing") {
  PackWorld world = Cluster();
  world.Hard(1);
  world.Solve(4);
  CHECK(EvidenceText(world.tree, world.request, world.Evidence()) ==
        "  asked: room for 4 members in one rack\n"
        "  block (required): most room now in b1: 5; when empty 8 in b1\n"
        "  rack (required): most room now in b1/r2: 3, 1 short; when empty 4 in b1/r1\n"
        "  node: most room now in b1/r2/b: 3, 1 short; when empty 4 in b1/r1/a");
}

TEST_CASE("the evidence stays in the domain of those that stand") {
  PackWorld world = Cluster();
  world.Hard(0);
  world.Stand("c", 0);
  world.Solve(3);
  CHECK(EvidenceText(world.tree, world.request, world.Evidence()) ==
        "  asked: room for 2 members in one block, beside 1 member that stand in b2\n"
        "  block (required): most room now in b2: 1, 1 short; when empty 3 in b2\n"
        "  rack: most room now in b1/r2: 3; when empty 4 in b1/r1\n"
        "  node: most room now in b1/r2/b: 3; when empty 4 in b1/r1/a");
}

TEST_CASE("an empty cluster and an invalid request have their words too") {
  PackWorld world({});
  world.Solve(2);
  CHECK(EvidenceText(world.tree, world.request, world.Evidence()) ==
        "  asked: room for 2 members\n  block: the cluster has none\n  rack: the cluster has none\n"
        "  node: the cluster has none");
  world.Solve(0);
  CHECK(EvidenceText(world.tree, world.request, world.Evidence()) ==
        "  0 members: at least 1 is needed");
}

TEST_CASE("nodes that lack a level's label are told, since nobody finds them in the topology") {
  PackWorld world({});
  const NodeFacts x = MakeNode("x", {{"b", "b1"}});
  const NodeFacts y = MakeNode("y", {});
  for (const bool both : {false, true}) {
    world.tree = Tree(BlockRackNode(), both ? std::vector{&x, &y} : std::vector{&x});
    world.Solve(2);
    const PlacementView view{&world.tree, {&world.now}};
    CHECK(EvidenceText(view, view, world.request, Budget{}) ==
          "  asked: room for 2 members\n  block: the cluster has none\n"
          "  rack: the cluster has none\n  node: the cluster has none\n"
          "  not in the topology: x" +
              std::string(both ? " and 1 more" : "") + "; it lacks the label r");
  }
}

}  // namespace
}  // namespace gangplan::explain_test
