// Victims when some questions are not decided: no claim that is not proven, and nobody goes in
// vain.
#include <algorithm>
#include <random>

#include "tests/algorithms/victims_random.h"
#include "tests/support/catch.h"
#include "tests/support/rounds.h"

namespace gangplan::victims_undecided_test {
namespace {

PlacementResult NotDecided() {
  PlacementResult result;
  result.outcome = Outcome::kWait;
  result.proven = false;
  return result;
}

TEST_CASE("Nobody goes as long as it is not decided that the newcomer does not fit") {
  VictimsWorld world = VictimsWorld::Racks({{4, 4}});
  world.groups = {{"a", 1, 1, {{0, 3}}}, {"b", 1, 1, {{1, 3}}}};
  world.pods = 5;
  REQUIRE(world.Victims() == "b");
  const auto without = [&](size_t undecided) {
    return world.FindBy([&](std::span<const int32_t> gone) {
      return gone.size() == undecided ? NotDecided() : world.PlaceWithout(gone);
    });
  };
  CHECK(world.Text(without(0)) == "not decided");
  CHECK(world.Text(without(2)) == "not decided");  // nor whether it helps that all go
  // With one gone it is not decided: to send both away may be in vain.
  const VictimsResult result = without(1);
  CHECK(world.Text(result) == "not decided");
  CHECK(result.victims.empty());
  CHECK(!result.cheapest);
  CHECK(!result.placement.proven);
}

TEST_CASE("A set that may not be the cheapest is told as such, and each in it has to go") {
  VictimsWorld world = VictimsWorld::Racks({{4}, {4}});
  world.hard_level = 1;
  world.pods = 4;
  world.groups = {{"a", 1, 1, {{0, 3}}}, {"b", 2, 1, {{1, 3}}}};
  REQUIRE(world.Victims() == "a");
  const VictimsResult result = world.FindBy([&](std::span<const int32_t> gone) {
    const bool only_a = gone.size() == 1 && gone.front() == 0;
    return only_a ? NotDecided() : world.PlaceWithout(gone);
  });
  CHECK(world.Text(result) == "b");
  CHECK(!result.cheapest);
}

TEST_CASE("Random questions that are not decided: no claim is false, no victim could stay") {
  std::mt19937 random(34);
  int found = 0, open = 0, claimed = 0;
  for (int round = 0; round < Rounds(3000); ++round) {
    const VictimsWorld world = RandomWorld(random, 7, 3, 3);
    // One question in so many is not decided, the same ones whenever they are asked.
    const uint32_t seed = random(), share = 2 + random() % 12;
    const auto place = [&](std::span<const int32_t> gone) {
      uint32_t set = 0;
      for (const int32_t group : gone) set |= 1U << group;
      return std::mt19937(seed + set)() % share == 0 ? NotDecided() : world.PlaceWithout(gone);
    };
    const VictimsResult result = world.FindBy(place);
    const std::optional<Key> cheapest = CheapestOfAll(world);
    CAPTURE(round, world.Text(result));
    CHECK(world.Text(world.FindBy(place)) == world.Text(result));
    using enum VictimsResult::Outcome;
    if (result.outcome == kNotPossible) CHECK(!cheapest);
    if (result.outcome == kNotDecided) CHECK(!result.cheapest);
    if (result.outcome == kNotDecided) CHECK(result.victims.empty());
    open += result.outcome == kNotDecided;
    if (result.outcome == kNotNeeded) CHECK(Fits(world, {}));
    if (result.outcome != kFound) continue;
    ++found;
    CheckNobodyCouldStay(world, result.victims);
    if (result.cheapest) CHECK(KeyOf(world, result.victims) == *cheapest);
    claimed += result.cheapest;
  }
  CHECK(found > 100);
  CHECK(open > 100);
  CHECK(claimed > 100);
}

}  // namespace
}  // namespace gangplan::victims_undecided_test
