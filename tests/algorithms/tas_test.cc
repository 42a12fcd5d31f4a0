// The rules of the tas engine, one by one, on trees small enough to follow by eye. That it answers
// as Kueue does is for tests/conformance to say.
#include "tests/algorithms/tas_world.h"

namespace gangplan::tas_test {
namespace {

// b1: r1 has 4 + 4 + 1, r2 has 2 + 2; b2: r3 has 3 + 3.
TasWorld Small() {
  return TasWorld({{"b1", "r1", "n1", 4},
                   {"b1", "r1", "n2", 4},
                   {"b1", "r1", "n3", 1},
                   {"b1", "r2", "n4", 2},
                   {"b1", "r2", "n5", 2},
                   {"b2", "r3", "n6", 3},
                   {"b2", "r3", "n7", 3}});
}

TEST_CASE("Required: the domain with the least room that is enough") {
  TasWorld world = Small();
  CHECK(world.Place(Required(2, 2)) == "n4:2");
  CHECK(world.Place(Required(1, 4)) == "n4:2 n5:2");
  CHECK(world.Place(Required(1, 5)) == "n6:3 n7:2");
  CHECK(world.Place(Required(0, 6)) == "n6:3 n7:3");
  CHECK(world.Place(Required(1, 10)) == "9 of 10");
}

TEST_CASE("Best fit below the chosen domain: the largest first, the smallest enough last") {
  TasWorld world = Small();
  CHECK(world.Place(Required(1, 7)) == "n1:4 n2:3");
  CHECK(world.Place(Required(1, 9)) == "n1:4 n2:4 n3:1");
  // The second host would hold the rest; the third does too and is smaller.
  CHECK(world.Place(Required(0, 9)) == "n1:4 n2:4 n3:1");
}

TEST_CASE("Preferred goes up, then over several domains of the top level") {
  TasWorld world = Small();
  CHECK(world.Place(Preferred(2, 3)) == "n6:3");
  CHECK(world.Place(Preferred(2, 5)) == "n6:3 n7:2");
  CHECK(world.Place(Preferred(1, 12)) == "n1:4 n2:4 n4:2 n5:2");
  CHECK(world.Place(Preferred(1, 19)) == "n1:4 n2:4 n3:1 n4:2 n5:2 n6:3 n7:3");
  CHECK(world.Place(Preferred(1, 20)) == "19 of 20");
}

TEST_CASE("Unconstrained fills the smallest first, or the largest") {
  TasWorld world = Small();
  CHECK(world.Place(Unconstrained(2, 2)) == "n4:2");
  CHECK(world.Place(Unconstrained(2, 6)) == "n3:1 n4:2 n5:2 n6:1");
  TasRequest best_fit = Unconstrained(2, 6);
  best_fit.profile = TasProfile::kBestFit;
  CHECK(world.Place(best_fit) == "n1:4 n4:2");
  CHECK(world.Place(Unconstrained(2, 20)) == "19 of 20");
}

// One rack with four hosts.
TasWorld Rack() {
  return TasWorld(
      {{"b1", "r1", "n1", 3}, {"b1", "r1", "n2", 3}, {"b1", "r1", "n3", 2}, {"b1", "r1", "n4", 1}});
}

TEST_CASE("The profiles fill the four nodes of the design document as it says") {
  TasWorld world = Rack();
  const auto placed = [&](TasRequest request, TasProfile profile) {
    request.profile = profile;
    return world.Place(request);
  };
  for (const TasRequest& request : {Required(0, 7), Preferred(1, 7), Unconstrained(2, 7)}) {
    CHECK(placed(request, TasProfile::kBestFit) == "n1:3 n2:3 n4:1");
    CHECK(placed(request, TasProfile::kMostFree) == "n1:3 n2:3 n3:1");
    CHECK(placed(request, TasProfile::kLeastFree) == "n1:3 n2:1 n3:2 n4:1");
  }
  CHECK(placed(Required(0, 7), TasProfile::kMixed) == "n1:3 n2:3 n4:1");
  CHECK(placed(Unconstrained(2, 7), TasProfile::kMixed) == "n1:3 n2:1 n3:2 n4:1");
  CHECK(placed(Required(2, 2), TasProfile::kBestFit) == "n3:2");
  CHECK(placed(Required(2, 2), TasProfile::kMostFree) == "n1:2");
  CHECK(placed(Required(2, 2), TasProfile::kLeastFree) == "n3:2");
  CHECK(placed(Required(2, 4), TasProfile::kLeastFree) == "3 of 4");
}

TEST_CASE("Slices stay whole in a domain of their level") {
  TasWorld world = Small();
  CHECK(world.Place(Required(0, 8, {{2, 2}})) == "n1:4 n2:4");
  CHECK(world.Place(Required(0, 6, {{2, 3}})) == "n6:3 n7:3");
  CHECK(world.Place(Required(0, 8, {{1, 4}})) == "n1:4 n2:3 n3:1");
  CHECK(world.Place(Required(0, 16, {{1, 4}})) == "3 of 4 slices");
  CHECK(world.Place(Unconstrained(0, 4, {{1, 2}})) == "n6:3 n7:1");
}

TEST_CASE("Layers of slices: an inner slice stays whole inside of the outer one's domain") {
  TasWorld world = Small();
  CHECK(world.Place(Required(0, 8, {{1, 4}, {2, 2}})) == "n1:4 n2:4");
  CHECK(world.Place(Required(0, 12, {{1, 6}, {2, 3}})) == "failure 1 1:1/2 2:2/4");
  CHECK(world.Place(Required(0, 24, {{1, 4}, {2, 2}})) == "failure 1 1:3/6 2:6/12");
}

TEST_CASE("A leader sits beside its workers") {
  TasWorld world({{"b1", "r1", "n1", 4, 4, false},
                  {"b1", "r1", "n2", 4, 3, true},
                  {"b1", "r2", "n3", 5, 2, true},
                  {"b1", "r2", "n4", 3, 3, false}});
  TasRequest request = Required(1, 7);
  request.leader = true;
  CHECK(world.Place(request) == "n1:4 n2:3 leader n2");
  request.count = 5;
  CHECK(world.Place(request) == "n3:2 n4:3 leader n3");
  request.count = 8;
  CHECK(world.Place(request) == "8 of 8");
}

TEST_CASE("Preferred node affinity decides before the room") {
  TasWorld world({{"b1", "r1", "n1", 4, 0, false, 0},
                  {"b1", "r2", "n2", 5, 0, false, 10},
                  {"b1", "r3", "n3", 9, 0, false, 10}});
  CHECK(world.Place(Required(1, 4)) == "n2:4");
  CHECK(world.Place(Required(1, 6)) == "n3:6");
}

TEST_CASE("Balanced placement gives the used domains alike") {
  TasWorld world({{"b1", "r1", "n1", 4},
                  {"b1", "r1", "n2", 4},
                  {"b1", "r2", "n3", 4},
                  {"b1", "r2", "n4", 4},
                  {"b2", "r3", "n5", 4},
                  {"b2", "r3", "n6", 1}});
  TasRequest request = Preferred(1, 12);
  CHECK(world.Place(request) == "n1:4 n2:4 n3:4");
  request = Preferred(1, 9);
  CHECK(world.Place(request) == "n1:4 n2:4 n3:1");
  request.balanced = true;
  CHECK(world.Place(request) == "n1:3 n2:3 n3:3");
}

TEST_CASE("Confined to a domain nothing outside of it counts") {
  TasWorld world = Small();
  TasRequest request = Required(0, 4);
  request.confine = Tree::Domain{1, 1};
  CHECK(world.Place(request) == "n4:2 n5:2");
  request.count = 5;
  CHECK(world.Place(request) == "4 of 5");
}

TEST_CASE("No node, no domains") {
  TasWorld world({});
  CHECK(world.Place(Required(1, 1)) == "failure 2");
}

TEST_CASE("A topology without host names is placed on its lowest level") {
  TasWorld world = Small();
  TasCounts counts = world.Counts(0, -1);
  counts.lowest = 1;
  TasResult result = PlaceTas(world.tree(), counts, Unconstrained(1, 10));
  CHECK(result.workers == std::vector<TasShare>{{1, 4}, {2, 6}});
}

TEST_CASE("A count that is no multiple of its slices") {
  TasWorld world = Small();
  CHECK(world.Place(Exact(Required(0, 7, {{2, 2}}))) == "n1:4 n2:2");
  CHECK(world.Place(Required(0, 7, {{2, 2}})) == "n1:4 n2:3");
  CHECK(world.Place(Exact(Required(0, 1, {{2, 2}}))) == "");
  CHECK(world.Place(Required(0, 1, {{2, 2}})) == "n6:1");
  TasRequest balanced = Preferred(1, 1, {{2, 2}});
  balanced.balanced = true;
  CHECK(world.Place(Exact(balanced)) == "");
  CHECK(world.Place(balanced) == "n4:1");
}

}  // namespace
}  // namespace gangplan::tas_test
