// Requests some members of which stand already.
#include "tests/algorithms/pack_world.h"

namespace gangplan::pack_fixed_test {
namespace {

PackWorld TwoRacks() {
  return PackWorld({{"b", "r1", "a", 1, 4},
                    {"b", "r1", "b", 2, 4},
                    {"b", "r1", "c", 3, 4},
                    {"b", "r2", "d", 9, 9}});
}

TEST_CASE("nothing is left to place when all stand") {
  PackWorld world = TwoRacks();
  world.Stand("a", 0);
  CHECK(world.Text(1) == "");
}

TEST_CASE("the others go where members stand, and take the missing ranks") {
  PackWorld world = TwoRacks();
  world.Stand("b", 1);
  CHECK(world.Text(2) == "b:0");
  CHECK(world.Text(3) == "b:0,2");
  world.Stand("c", 3);
  CHECK(world.Text(6) == "b:0 c:2,4,5");  // the fuller of the two nodes first
}

TEST_CASE("beyond the nodes in use as few new ones as possible, in the racks in use") {
  PackWorld world = TwoRacks();
  world.Stand("b", 0);
  CHECK(world.Text(4) == "a:1 b:2,3");
  CHECK(world.Text(5) == "b:1,2 c:3,4");
  CHECK(world.Text(7) == "a:1 b:2,3 c:4,5,6");
}

// Not the racks in use first: 1 + 7 members in two racks are as full as 7 + 1, and take one new
// node instead of three.
TEST_CASE("beyond the racks in use the fullest racks, then the fewest nodes") {
  PackWorld world = TwoRacks();
  world.Stand("b", 0);
  CHECK(world.Text(8) == "d:1,2,3,4,5,6,7");
  world.Stand("a", 1);
  CHECK(world.Text(11) == "d:2,3,4,5,6,7,8,9,10");
  CHECK(world.Text(12) == "a:2 d:3,4,5,6,7,8,9,10,11");
}

TEST_CASE("a hard level binds to the domain of those that stand") {
  PackWorld world = TwoRacks();
  world.Hard(1);
  world.Stand("a", 0);
  CHECK(world.Text(7) == "a:1 b:2,3 c:4,5,6");
  CHECK(world.Text(8) == "wait");
  CHECK(world.Solve(8).deciding_level == 1);
  CHECK(world.Solve(8).most_when_empty == 8);
  CHECK(world.Text(12) == "wait");
  CHECK(world.Text(13) == "impossible");
}

TEST_CASE("those that stand take their own room of the empty cluster, where it has some") {
  PackWorld world({{"b", "r", "a", 0, 2}, {"b", "r", "b", 0, 0}});
  world.Stand("a", 0);
  CHECK(world.Text(2) == "wait");
  CHECK(world.Text(3) == "impossible");
  world.Stand("b", 1);  // stands where the empty cluster has no room: takes none
  CHECK(world.Text(3) == "wait");
  CHECK(world.Text(4) == "impossible");
}

TEST_CASE("members that stand apart break a hard level") {
  PackWorld world = TwoRacks();
  world.Stand("d", 0);
  world.Stand("a", 1);
  CHECK(world.Text(3) == "a:2");
  world.Hard(1);
  CHECK(world.Text(3) == "invalid: rack=pack!: members already stand in b/r1 and in b/r2");
}

TEST_CASE("more members that stand than there are is a contradiction") {
  PackWorld world = TwoRacks();
  world.Stand("a", 0);
  world.Stand("b", 1);
  CHECK(world.Text(1) == "invalid: 2 members stand already, but there are only 1");
}

}  // namespace
}  // namespace gangplan::pack_fixed_test
