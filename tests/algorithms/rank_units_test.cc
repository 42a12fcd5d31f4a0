// Units of consecutive ranks: each stands in one domain of its level, in random trees, at the first
// placement and when members are lost and come back.
#include "algorithms/rank_units.h"
#include "algorithms/leaf_room.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "algorithms/members.h"
#include "tests/algorithms/exact_world.h"
#include "tests/support/level_rule.h"
#include "tests/support/rounds.h"

namespace gangplan::rank_units_test {
namespace {

LevelRule Units(int32_t ranks, bool hard = false) {
  LevelRule rule;
  rule.hard = hard;
  rule.factor = ranks;
  rule.ranked = true;
  return rule;
}

// Members of a gang by rank, and where they are; the room that is left.
struct Gang {
  std::map<int32_t, int32_t> leaf_of;
  PerLeaf room;
};

// The first unit that is torn, of whoever is placed.
std::string Torn(const Tree& tree, const LevelRules& rules, const Gang& gang) {
  for (int level = 0; level < tree.level_count(); ++level) {
    if (!rules[static_cast<size_t>(level)] || !rules[static_cast<size_t>(level)]->ranked) continue;
    const int32_t size = *rules[static_cast<size_t>(level)]->factor;
    std::map<int32_t, int32_t> home;
    for (const auto& [rank, leaf] : gang.leaf_of) {
      const int32_t domain = tree.Ancestor(leaf, level);
      if (home.try_emplace(rank / size, domain).first->second != domain)
        return fmt::format("level {}: rank {} is not with its unit of {}", level, rank, size);
    }
  }
  return "";
}

// Whoever is missing, by the engine; the leader is pod set 0 where there is one.
PlacementRequest Asked(const Gang& gang, const LevelRules& rules, int32_t members, bool leader) {
  PlacementRequest request;
  request.rules = rules;
  for (const auto& [rank, leaf] : gang.leaf_of)
    request.fixed.push_back({leader && rank > 0 ? 1 : 0, rank, leaf});
  if (leader) request.pod_sets.push_back({"leader", 1, 0});
  const int32_t workers = members - (leader ? 1 : 0);
  if (workers > 0) request.pod_sets.push_back({"workers", workers, leader ? 1 : 0});
  return request;
}

// Room that pods of all sets share, each where it has counts.
class OneRoom : public LeafRoom {
 public:
  explicit OneRoom(std::vector<const FitCounts*> counts) : counts_(std::move(counts)) {}
  int32_t Fit(int32_t leaf, int32_t pod_set, std::span<const int32_t> taken) const override {
    if (Count(static_cast<size_t>(pod_set), leaf) == 0) return 0;
    int32_t rest = Count(1, leaf);
    for (const int32_t pods : taken) rest -= pods;
    return std::max(rest, 0);
  }

 private:
  int32_t Count(size_t set, int32_t leaf) const {
    return counts_[set]->levels.back()[static_cast<size_t>(leaf)];
  }

  const std::vector<const FitCounts*> counts_;  // the second set's are the room
};

PlacementResult Ask(const Tree& tree, const PlacementRequest& request, const PerLeaf& room) {
  const FitCounts counts = RollUpCounts(tree, room);
  FitCounts leaders = counts;
  const OneRoom together({&leaders, &counts});
  PlacementView view{&tree, {&counts}};
  if (request.pod_sets.size() > 1) view = {&tree, {&leaders, &counts}, &together};
  return Place(
      view, [&] { return view; }, request, Budget{});
}

void Take(const PlacementResult& result, Gang& gang) {
  for (const PlacedMember& member : result.members) {
    REQUIRE(gang.leaf_of.emplace(member.rank, member.leaf).second);
    REQUIRE(--gang.room[static_cast<size_t>(member.leaf)] >= 0);
  }
}

struct Case {
  Tree tree;
  LevelRules rules;
  int32_t members = 0;
  Gang gang;
};

// Three levels; units at the node, the rack, or both, and one domain for all now and then.
Case RandomCase(std::mt19937& random) {
  Case one;
  TreeSpec spec{3, {}};
  for (uint32_t leaf = 0, leaves = 2 + random() % 11; leaf < leaves; ++leaf)
    spec.leaves.push_back(
        {static_cast<int>(random() % 2), static_cast<int>(random() % 4), static_cast<int>(leaf)});
  std::vector<size_t> source;
  one.tree = BuildTree(spec, InOrder(spec.leaves.size()), source);
  one.rules.resize(3);
  int32_t unit = 1;
  for (int level = 2; level > 0; --level) {
    if (random() % 4 == 0) continue;
    unit *= static_cast<int32_t>(1 + random() % 3);
    one.rules[static_cast<size_t>(level)] = Units(unit);
  }
  if (random() % 3 == 0) one.rules[0] = Rule(LevelRule::Kind::kPack, true);
  one.members = unit * static_cast<int32_t>(1 + random() % 4);
  for (int32_t leaf = 0; leaf < one.tree.leaf_count(); ++leaf)
    one.gang.room.push_back(static_cast<int32_t>(random() % 9));
  return one;
}

std::string Text(const Case& one) {
  std::string text = fmt::format("{} members;", one.members);
  for (const auto& rule : one.rules) text += fmt::format(" [{}]", rule ? Text(*rule) : "");
  for (int32_t leaf = 0; leaf < one.tree.leaf_count(); ++leaf)
    text += fmt::format(" {}:{}", one.tree.Path(2, leaf), one.gang.room[static_cast<size_t>(leaf)]);
  return text;
}

// Some members go; now and then a whole node's, whose room goes as well.
void Lose(std::mt19937& random, Gang& gang) {
  const bool whole_node = random() % 2 == 0;
  const auto leaf = static_cast<int32_t>(random() % gang.room.size());
  std::vector<int32_t> lost;
  for (const auto& [rank, at] : gang.leaf_of)
    if (whole_node ? at == leaf : random() % 4 == 0) lost.push_back(rank);
  for (const int32_t rank : lost) {
    ++gang.room[static_cast<size_t>(gang.leaf_of.at(rank))];
    gang.leaf_of.erase(rank);
  }
  if (whole_node) gang.room[static_cast<size_t>(leaf)] = 0;
}

// Whether some way to give the missing ranks to leaves keeps the rules: by trying all of them.
bool AnyDealt(const Tree& tree, const LevelRules& rules, Gang gang, std::vector<int32_t> missing) {
  if (missing.empty()) return true;
  const int32_t rank = missing.back();
  missing.pop_back();
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf) {
    if (gang.room[static_cast<size_t>(leaf)] == 0) continue;
    Gang next = gang;
    --next.room[static_cast<size_t>(leaf)];
    next.leaf_of.emplace(rank, leaf);
    const bool one_domain =
        !rules[0] || std::all_of(next.leaf_of.begin(), next.leaf_of.end(), [&](const auto& member) {
          return tree.Ancestor(member.second, 0) == tree.Ancestor(leaf, 0);
        });
    if (one_domain && Torn(tree, rules, next).empty() && AnyDealt(tree, rules, next, missing))
      return true;
  }
  return false;
}

std::vector<int32_t> MissingOf(const Gang& gang, int32_t members) {
  std::vector<int32_t> missing;
  for (int32_t rank = 0; rank < members; ++rank)
    if (!gang.leaf_of.contains(rank)) missing.push_back(rank);
  return missing;
}

// One gang: placed, and some times repaired. How often it was placed.
int PlaceAndRepair(std::mt19937& random, bool leader) {
  Case one = RandomCase(random);
  INFO(Text(one));
  int placed = 0;
  for (int time = 0; time < 4; ++time) {
    const std::vector<int32_t> missing = MissingOf(one.gang, one.members);
    if (!missing.empty()) {
      const PlacementRequest request = Asked(one.gang, one.rules, one.members, leader);
      const PlacementResult result = Ask(one.tree, request, one.gang.room);
      const bool found = result.outcome == Outcome::kPlaced;
      INFO("time " << time << " " << Name(result.outcome) << " " << result.problem);
      if (missing.size() <= 4 && one.tree.leaf_count() <= 8)
        REQUIRE(found == AnyDealt(one.tree, one.rules, one.gang, missing));
      if (!found) REQUIRE(result.proven);
      if (!found) return placed;
      Take(result, one.gang);
      REQUIRE(static_cast<int32_t>(one.gang.leaf_of.size()) == one.members);
      REQUIRE(Torn(one.tree, one.rules, one.gang).empty());
      ++placed;
    }
    Lose(random, one.gang);
  }
  return placed;
}

}  // namespace

TEST_CASE("rank units: first placements and repairs keep every unit in one domain") {
  std::mt19937 random(31);
  int placed = 0;
  for (int round = 0, rounds = Rounds(3000); round < rounds; ++round)
    placed += PlaceAndRepair(random, false);
  CHECK(placed > 500);
}

TEST_CASE("rank units: a leader of rank 0 is with the first of its workers") {
  std::mt19937 random(32);
  int placed = 0;
  for (int round = 0, rounds = Rounds(3000); round < rounds; ++round)
    placed += PlaceAndRepair(random, true);
  CHECK(placed > 500);
}

namespace {

// Two racks of two nodes of one block.
Tree TwoRacks() {
  std::vector<size_t> source;
  return BuildTree({3, {{0, 0, 0}, {0, 0, 1}, {0, 1, 2}, {0, 1, 3}}}, InOrder(4), source);
}

}  // namespace

TEST_CASE("rank units: lost members come back to where the rest of their unit stands") {
  const Tree tree = TwoRacks();
  PlacementRequest request;
  request.rules = {std::nullopt, Units(4), Units(2)};
  request.pod_sets = {{"", 8, 0}};
  // Units 0 and 1 in the second rack, 2 and 3 in the first; ranks 1 and 6 are lost.
  request.fixed = {{0, 0, 2}, {0, 2, 3}, {0, 3, 3}, {0, 4, 0}, {0, 5, 0}, {0, 7, 1}};
  const PlacementResult result = Ask(tree, request, {4, 4, 4, 4});
  REQUIRE(result.outcome == Outcome::kPlaced);
  CHECK(result.members == std::vector<PlacedMember>{{0, 1, 2}, {0, 6, 1}});
}

// Rack 0 has four that stand, of two units each of which lacks two: as many as a unit by number.
TEST_CASE("rank units: units that stand are filled though others would go by number") {
  const Tree tree = TwoRacks();
  PlacementRequest request;
  request.rules = {std::nullopt, Units(4), std::nullopt};
  request.pod_sets = {{"", 8, 0}};
  request.fixed = {{0, 0, 0}, {0, 1, 0}, {0, 4, 1}, {0, 5, 1}};
  const PlacementResult result = Ask(tree, request, {2, 2, 4, 4});
  REQUIRE(result.outcome == Outcome::kPlaced);
  CHECK(result.members == std::vector<PlacedMember>{{0, 2, 0}, {0, 3, 0}, {0, 6, 1}, {0, 7, 1}});
  CHECK(Ask(tree, request, {2, 1, 4, 4}).outcome == Outcome::kImpossible);
}

TEST_CASE("rank units: what cannot be kept is told") {
  const Tree tree = TwoRacks();
  PlacementRequest request;
  request.rules = {std::nullopt, Units(4), Units(2)};
  request.pod_sets = {{"", 6, 0}};
  CHECK(Ask(tree, request, {4, 4, 4, 4}).problem ==
        "level1=pack ranks=4: 6 members are no multiple of 4");
  request.pod_sets = {{"", 8, 0}};
  request.fixed = {{0, 0, 0}, {0, 1, 1}};
  CHECK(Ask(tree, request, {4, 4, 4, 4}).problem ==
        "node=pack ranks=2: of the ranks 0 to 1 some stand in d0/d0/n00 and some in d0/d0/n01");
  request.fixed = {};
  request.pod_sets = {{"a", 4, 0}, {"b", 4, 4}};
  CHECK(Ask(tree, request, {4, 4, 4, 4}).problem ==
        "2 pod sets: units of ranks are of one pod set, or of a leader and workers");
}

TEST_CASE("rank units: of a unit of which nobody stands all go together") {
  const Tree tree = TwoRacks();
  PlacementRequest request;
  request.rules = {std::nullopt, std::nullopt, Units(4)};
  request.pod_sets = {{"", 8, 0}};
  request.fixed = {{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {0, 3, 0}};
  request.pod_sets.front().missing = {4, 5, 8, 9};  // as many as a unit, and of two
  CHECK(Ask(tree, request, {8, 8, 8, 8}).problem ==
        "node=pack ranks=4: only 2 of the ranks 4 to 7 are there, and they go together");
  request.pod_sets.front().missing = {8, 9, 10, 11};
  CHECK(Ask(tree, request, {8, 8, 8, 8}).outcome == Outcome::kPlaced);
}

// Ranks 0, 1, 4 and 5 of two units on one node have succeeded.
TEST_CASE("rank units: members that have succeeded are not waited for where their units stand") {
  const Tree tree = TwoRacks();
  PlacementRequest request;
  request.rules = {std::nullopt, std::nullopt, Units(4)};
  request.pod_sets = {{"", 4, 0}};
  request.pod_sets.front().missing = {2};
  request.fixed = {{0, 3, 1}, {0, 6, 1}, {0, 7, 1}};
  CHECK(UnitFloors(tree, request, 2) == std::vector<UnitFloor>{{1, 4}});
  const PlacementResult result = Ask(tree, request, {8, 1, 8, 8});
  REQUIRE(result.outcome == Outcome::kPlaced);
  CHECK(result.members == std::vector<PlacedMember>{{0, 2, 1}});
}

// All of the leader's unit is lost, and one of the other, on whose node alone there is room.
TEST_CASE("rank units: a lost leader goes beside a unit that lacks members where he must") {
  const Tree tree = TwoRacks();
  PlacementRequest request;
  request.rules = {std::nullopt, std::nullopt, Units(2)};
  request.pod_sets = {{"leader", 1, 0}, {"workers", 3, 1}};
  request.fixed = {{1, 2, 1}};
  const PlacementResult result = Ask(tree, request, {0, 3, 1, 1});
  REQUIRE(result.outcome == Outcome::kPlaced);
  CHECK(result.members == std::vector<PlacedMember>{{0, 0, 1}, {1, 1, 1}, {1, 3, 1}});
  CHECK(Ask(tree, request, {0, 2, 1, 1}).outcome == Outcome::kImpossible);
  // Where there is room elsewhere he stays off that node.
  CHECK(Ask(tree, request, {2, 3, 1, 1}).members.front() == PlacedMember{0, 0, 0});
}

TEST_CASE("rank units: fewer members are the lowest ranks that are to be placed") {
  PlacementRequest request;
  request.pod_sets = {{"", 6, 0}};
  request.pod_sets.front().missing = {2, 3, 4, 5};
  request.fixed = {{0, 0, 0}, {0, 1, 0}};
  const PlacementRequest fewer = WithMembers(request, 0, 4);
  CHECK(fewer.pod_sets.front().count == 4);
  CHECK(MissingRanks(fewer, 0) == std::vector<int32_t>{2, 3});
}

}  // namespace gangplan::rank_units_test
