#include "algorithms/victims.h"

#include <random>

#include "tests/algorithms/victims_random.h"
#include "tests/support/catch.h"
#include "tests/support/rounds.h"

namespace gangplan::victims_test {
namespace {

TEST_CASE("Nobody goes when there is room, or when nobody may") {
  VictimsWorld world = VictimsWorld::Racks({{4, 4}});
  world.groups = {{"a", 1, 1, {{0, 3}}}};
  world.pods = 5;
  CHECK(world.Victims() == "not needed");
  world.pods = 6;
  CHECK(world.Victims() == "a");
  world.priority = 1;
  CHECK(world.Victims() == "not possible");
  world.groups[0].priority = INT64_MIN;
  CHECK(world.Victims() == "a");
  for (const int64_t priority : {0, -1}) {
    world.priority = priority;
    CHECK(world.Victims() == "not possible");
    CHECK(world.Find().placement.outcome != Outcome::kPlaced);
  }
  world.pods = 5;
  CHECK(world.Victims() == "not needed");
  world.pods = 9;
  world.priority = 10;
  CHECK(world.Victims() == "not possible");
}

TEST_CASE("The placement is the newcomer's, with the victims gone") {
  VictimsWorld world = VictimsWorld::Racks({{2}, {2}});
  world.groups = {{"a", 1, 1, {{0, 2}}}, {"b", 2, 1, {{1, 2}}}};
  world.pods = 2;
  world.hard_level = 1;
  const VictimsResult result = world.Find();
  CHECK(world.Text(result) == "a");
  CHECK(result.cheapest);
  REQUIRE(result.placement.outcome == Outcome::kPlaced);
  REQUIRE(result.placement.members.size() == 2);
  CHECK(result.placement.members[0].leaf == 0);
  CHECK(result.placement.members[1].leaf == 0);
}

TEST_CASE("The fewest victims of the highest priority go, whatever that costs below") {
  VictimsWorld world = VictimsWorld::Racks({{4, 4}, {4, 4}});
  world.hard_level = 1;
  world.pods = 8;
  world.groups = {{"high", 5, 1, {{0, 8}}},
                  {"low-1", 1, 1, {{2, 3}}},
                  {"low-2", 1, 1, {{3, 3}}},
                  {"low-3", 2, 1, {{2, 1}}}};
  world.groups[0].pods = {{0, 4}, {1, 4}};
  CHECK(world.Victims() == "low-1 low-2 low-3");
  world.groups[3].priority = 5;  // one of priority 5 in either rack
  CHECK(world.Victims() == "high");
}

TEST_CASE("Of equally many victims those with fewer pods go, and whole groups only") {
  VictimsWorld world = VictimsWorld::Racks({{4, 4}, {4, 4}});
  world.hard_level = 1;
  world.pods = 8;
  world.groups = {{"a", 1, 1, {{0, 3}, {3, 1}}}, {"b", 1, 1, {{2, 3}}}};
  CHECK(world.Victims() == "a");  // b stands in the other rack, where a stands too
  world.groups = {{"a", 1, 1, {{0, 3}}}, {"b", 1, 2, {{2, 2}}}};
  CHECK(world.Victims() == "b");
}

TEST_CASE("One large group goes rather than two small ones of its priority") {
  VictimsWorld world = VictimsWorld::Racks({{8}});
  world.pods = 4;
  world.groups = {{"a", 1, 1, {{0, 2}}}, {"b", 1, 1, {{0, 2}}}, {"c", 1, 1, {{0, 4}}}};
  CHECK(world.Victims() == "c");
  world.groups[2].priority = 2;
  CHECK(world.Victims() == "a b");
}

TEST_CASE("Groups that stand in no host stay, those of other racks too") {
  VictimsWorld world = VictimsWorld::Racks({{2, 2}, {1}});
  world.hard_level = 1;
  world.pods = 4;
  world.groups = {{"a", 1, 1, {{0, 1}}}, {"b", 1, 1, {{1, 1}}}, {"c", 0, 1, {{2, 1}}}};
  CHECK(world.Victims() == "a b");
}

TEST_CASE("Hosts are the domains that hard packs leave to all members") {
  const VictimsWorld world = VictimsWorld::Racks({{1, 1}, {1}});
  PlacementRequest request = world.Request();
  const auto hosts = [&] {
    std::vector<std::pair<int32_t, int32_t>> ranges;
    for (const Tree::Range& range : HostsOf(world.tree, request))
      ranges.emplace_back(range.begin, range.end);
    return ranges;
  };
  using Ranges = std::vector<std::pair<int32_t, int32_t>>;
  CHECK(hosts().empty());
  request.rules[1] = HardPack();
  CHECK(hosts().empty());  // one rack in each block
  request.rules[0] = HardPack();
  CHECK(hosts() == Ranges{{0, 2}, {2, 3}});
  request.rules[1]->kind = LevelRule::Kind::kSpread;
  CHECK(hosts() == Ranges{{0, 3}});
}

// The victims as `world` has them, with its groups in another order.
std::string TextShuffled(VictimsWorld world, std::mt19937& random) {
  std::shuffle(world.groups.begin(), world.groups.end(), random);
  return world.Victims();
}

TEST_CASE("Victims cost no more than the cheapest of all subsets, in any order of the groups") {
  std::mt19937 random(31);
  int found = 0, several = 0;
  for (int round = 0; round < Rounds(3000); ++round) {
    const VictimsWorld world = RandomWorld(random, 8, 3, 3);
    const VictimsResult result = world.Find();
    const std::optional<Key> cheapest = CheapestOfAll(world);
    CAPTURE(round, world.Text(result));
    CHECK(result.cheapest);
    CHECK(cheapest.has_value() == (result.outcome != VictimsResult::Outcome::kNotPossible));
    CHECK(TextShuffled(world, random) == world.Text(result));
    if (!cheapest) continue;
    CHECK(KeyOf(world, result.victims) == *cheapest);
    CHECK(result.placement.outcome == Outcome::kPlaced);
    CHECK(KeyOf(world, world.Find(false).victims) == *cheapest);
    CHECK((result.outcome == VictimsResult::Outcome::kNotNeeded) == Fits(world, {}));
    if (result.outcome != VictimsResult::Outcome::kFound) continue;
    CheckNobodyCouldStay(world, result.victims);
    ++found;
    if (result.victims.size() > 1) ++several;
  }
  CHECK(found > 500);
  CHECK(several > 100);
}

TEST_CASE("With its budget spent the search says so, and still nobody could stay") {
  std::mt19937 random(32);
  int spent = 0;
  for (int round = 0; round < Rounds(60); ++round) {
    const VictimsWorld world = RandomWorld(random, 40, 4, 8);
    const VictimsResult whole = world.Find();
    const VictimsResult cut = world.Find(true, {0});
    CHECK(cut.outcome == whole.outcome);
    if (cut.outcome != VictimsResult::Outcome::kFound) continue;
    CHECK(!cut.cheapest);
    CheckNobodyCouldStay(world, cut.victims);
    CHECK(KeyOf(world, cut.victims) >= KeyOf(world, whole.victims));
    ++spent;
  }
  CHECK(spent > 5);
}

TEST_CASE("Eleven groups in one host are searched whole whatever they are") {
  VictimsWorld world = VictimsWorld::Racks({std::vector<int32_t>(11, 6)});
  world.pods = 33;  // half of the rack: the most sets to look at
  std::mt19937 random(33);
  for (int round = 0; round < Rounds(20); ++round) {
    world.groups.clear();
    for (int32_t leaf = 0; leaf < 11; ++leaf)
      world.groups.push_back(
          {fmt::format("g{:02}", leaf), 1, 1, {{leaf, static_cast<int32_t>(1 + random() % 6)}}});
    const VictimsResult result = world.Find();
    CHECK(result.cheapest);
    CHECK(result.checks < VictimBudget{}.checks);
  }
}

TEST_CASE("A large cluster is answered within the budget") {
  VictimsWorld world = VictimsWorld::Racks(std::vector<std::vector<int32_t>>(20, {8, 8, 8, 8}));
  for (int32_t leaf = 0; leaf < 80; ++leaf) {
    for (int i = 0; i < 2; ++i)
      world.groups.push_back(
          {fmt::format("g{:03}-{}", leaf, i), 1 + (leaf + i) % 3, 1, {{leaf, 4}}});
  }
  world.pods = 24;
  const VictimsResult anywhere = world.Find();
  CHECK(anywhere.outcome == VictimsResult::Outcome::kFound);
  CheckNobodyCouldStay(world, anywhere.victims);
  CHECK(anywhere.checks < VictimBudget{}.checks + 1'000);
  world.hard_level = 1;
  const VictimsResult in_rack = world.Find();
  CHECK(in_rack.cheapest);
  CHECK(in_rack.victims.size() == 6);
}

}  // namespace
}  // namespace gangplan::victims_test
