// A named scenario for each preference of hard and soft packs of one pod set.
#include "tests/algorithms/pack_world.h"

namespace gangplan::pack_test {
namespace {

TEST_CASE("the example of the README") {
  PackWorld world = ReadmeCluster();
  CHECK(world.Text(3) == "n10:0,1,2");
  CHECK(world.Text(12) == "n1:0,1,2,3 n2:4,5,6,7 n3:8 n4:9,10 n5:11");
  world.Hard(1);
  CHECK(world.Text(3) == "n10:0,1,2");
  CHECK(world.Text(8) == "n1:0,1,2,3 n2:4,5,6,7");
  CHECK(world.Text(7) == "n10:0,1,2 n8:3,4,5,6");
  CHECK(world.Text(12) == "impossible");
  PerLeaf rooms = world.empty.levels.back();
  rooms[world.Leaf("n3")] += 3;
  world.empty = RollUpCounts(world.tree, rooms);
  CHECK(world.Text(12) == "wait");
}

TEST_CASE("the tightest domain of the deepest level that holds all") {
  PackWorld world({{"b1", "r1", "a", 8}, {"b1", "r1", "b", 3}, {"b1", "r2", "c", 2}});
  CHECK(world.Text(2) == "c:0,1");
  CHECK(world.Text(3) == "b:0,1,2");
  CHECK(world.Text(4) == "a:0,1,2,3");
}

TEST_CASE("of equally tight domains the one with the tighter parent") {
  PackWorld world(
      {{"b1", "r1", "a", 2}, {"b1", "r1", "b", 3}, {"b2", "r1", "c", 2}, {"b2", "r1", "d", 1}});
  CHECK(world.Text(2) == "c:0,1");
  PackWorld blocks(
      {{"b1", "r1", "a", 2}, {"b1", "r2", "b", 9}, {"b2", "r1", "c", 2}, {"b2", "r2", "d", 8}});
  CHECK(blocks.Text(2) == "c:0,1");
}

TEST_CASE("of domains equal in all the first by path") {
  PackWorld world(
      {{"b1", "r1", "b", 2}, {"b1", "r1", "a", 2}, {"b0", "r2", "z", 2}, {"b0", "r2", "y", 2}});
  CHECK(world.Text(1) == "y:0");
}

TEST_CASE("a rack that needs fewer nodes wins over a tighter one") {
  PackWorld world({{"b", "r1", "a", 2},
                   {"b", "r1", "b", 2},
                   {"b", "r1", "c", 2},
                   {"b", "r2", "d", 3},
                   {"b", "r2", "e", 3},
                   {"b", "r2", "f", 3}});
  CHECK(world.Text(6) == "d:0,1,2 e:3,4,5");
}

TEST_CASE("a split fills the largest and ends in the tightest that holds the rest") {
  PackWorld world({{"b", "r", "a", 5}, {"b", "r", "b", 3}, {"b", "r", "c", 2}, {"b", "r", "d", 5}});
  CHECK(world.Text(7) == "a:0,1,2,3,4 c:5,6");
  CHECK(world.Text(8) == "a:0,1,2,3,4 b:5,6,7");
  CHECK(world.Text(10) == "a:0,1,2,3,4 d:5,6,7,8,9");
  CHECK(world.Text(11) == "a:0,1,2,3,4 c:5 d:6,7,8,9,10");
}

TEST_CASE("without room in one block the blocks are split, as few as possible") {
  PackWorld world(
      {{"b1", "r", "a", 4}, {"b2", "r", "b", 5}, {"b3", "r", "c", 1}, {"b4", "r", "d", 3}});
  CHECK(world.Text(6) == "b:0,1,2,3,4 c:5");
  CHECK(world.Text(13) == "a:0,1,2,3 b:4,5,6,7,8 c:9 d:10,11,12");
  CHECK(world.Text(14) == "impossible");
}

TEST_CASE("a hard level is kept, and decides") {
  PackWorld world({{"b1", "r1", "a", 2, 4}, {"b1", "r2", "b", 2, 4}, {"b2", "r3", "c", 3, 3}});
  CHECK(world.Text(4) == "a:0,1 b:2,3");
  SECTION("rack") {
    world.Hard(1);
    CHECK(world.Text(3) == "c:0,1,2");
    PlacementResult wait = world.Solve(4);
    CHECK(wait.outcome == Outcome::kWait);
    CHECK(wait.deciding_level == 1);
    CHECK(wait.most_when_empty == 4);
    CHECK(wait.members.empty());
    PlacementResult never = world.Solve(5);
    CHECK(never.outcome == Outcome::kImpossible);
    CHECK(never.deciding_level == 1);
  }
  SECTION("the deepest of two") {
    world.Hard(0);
    CHECK(world.Text(4) == "a:0,1 b:2,3");
    world.Hard(2);
    CHECK(world.Text(4) == "wait");
    CHECK(world.Solve(4).deciding_level == 2);
  }
  SECTION("none: total room decides") {
    CHECK(world.Solve(8).outcome == Outcome::kWait);
    CHECK(world.Solve(8).deciding_level == -1);
    CHECK(world.Solve(8).most_when_empty == 8);
    CHECK(world.Text(11) == "wait");
    CHECK(world.Text(12) == "impossible");
  }
}

TEST_CASE("the empty cluster is asked for only when there is no room now") {
  PackWorld world({{"b", "r", "a", 2, 4}});
  int asked = 0;
  auto empty = [&] {
    ++asked;
    return PlacementView{&world.tree, {&world.empty}};
  };
  for (int32_t count : {2, 3}) {
    world.request.pod_sets = {{"", count}};
    Place({&world.tree, {&world.now}}, empty, world.request, Budget{});
    CHECK(asked == count - 2);
  }
}

TEST_CASE("ranks begin where they are told to") {
  PackWorld world({{"b", "r", "a", 2}, {"b", "r", "b", 2}});
  world.request.pod_sets = {{"workers", 1, 7}};
  CHECK(world.Text(3) == "a:7,8 b:9");
}

TEST_CASE("an empty cluster holds nobody") {
  PackWorld world({});
  CHECK(world.Text(1) == "impossible");
  world.Hard(1);
  CHECK(world.Text(1) == "impossible");
}

TEST_CASE("counts that no gang has are told") {
  PackWorld world = ReadmeCluster();
  CHECK(world.Text(0) == "invalid: 0 members: at least 1 is needed");
  CHECK(world.Text(-3) == "invalid: -3 members: at least 1 is needed");
}

}  // namespace
}  // namespace gangplan::pack_test
