// Random gangs of up to four pod sets and three resources, with members that stand, at every budget
// from one step up, held against every placement there is: what can be placed is at the steps that
// the planner has on a copy, what is called proven is the best, and a gap holds it.
#include <algorithm>
#include <random>

#include "algorithms/leaf_room.h"
#include "tests/algorithms/exact_world.h"
#include "tests/algorithms/gap_check.h"
#include "tests/algorithms/mixed_cluster.h"
#include "tests/support/roll_up.h"
#include "tests/support/rounds.h"

namespace gangplan::exact_budget_test {
namespace {

constexpr int64_t kBudgets[] = {1, 8, 64, 512, 4'096, kPlannersSteps, kCopysSteps};

struct BudgetCase {
  Tree tree;
  MixedCluster cluster;
  PlacementRequest request;
};

class Cases {
 public:
  explicit Cases(uint32_t seed) : random_(seed) {}

  // Of many nodes with few pods, or the other way round: every placement is looked at.
  BudgetCase Next() {
    BudgetCase one;
    const bool many = OneIn(3);
    MakeCluster(many ? 6 + UpTo(6) : 2 + UpTo(3), one);
    MakePodSets(many, one);
    for (int level = 0; level < one.tree.level_count(); ++level)
      one.request.rules.push_back(RandomRule());
    if (OneIn(4)) Stand(one);
    return one;
  }

 private:
  int32_t UpTo(uint32_t most) { return static_cast<int32_t>(random_() % (most + 1)); }
  bool OneIn(uint32_t of) { return random_() % of == 0; }

  void MakeCluster(int32_t leaves, BudgetCase& one) {
    TreeSpec spec{3, {}};
    for (int32_t leaf = 0; leaf < leaves; ++leaf) spec.leaves.push_back({UpTo(2), UpTo(2)});
    std::vector<size_t> source;
    one.tree = BuildTree(spec, InOrder(spec.leaves.size()), source);
    for (int32_t leaf = 0; leaf < leaves; ++leaf)
      one.cluster.free.push_back({UpTo(6), UpTo(4), UpTo(3)});
  }

  void MakePodSets(bool few, BudgetCase& one) {
    one.request.strategy = Strategy::kExact;
    std::vector<int32_t> counts = {few ? 2 : 3 + UpTo(2), few ? 1 : 1 + UpTo(2)};
    for (int32_t more = UpTo(2); more > 0; --more) counts.push_back(1);
    if (OneIn(6)) counts.resize(1);
    for (size_t set = 0; set < counts.size(); ++set) {
      one.request.pod_sets.push_back({fmt::format("s{}", set), counts[set], 0, false});
      one.cluster.demands.push_back({1 + UpTo(1), UpTo(1), UpTo(1)});
    }
  }

  std::optional<LevelRule> RandomRule() {
    if (OneIn(3)) return std::nullopt;
    LevelRule rule;
    rule.kind = static_cast<LevelRule::Kind>(UpTo(2));
    rule.hard = OneIn(6);
    if (OneIn(6)) rule.partitions = 1 + UpTo(2);
    if (OneIn(6)) rule.min = 1 + UpTo(1);
    if (OneIn(4)) rule.max = rule.min.value_or(1) + UpTo(3);
    if (OneIn(8)) rule.factor = 2;
    return rule;
  }

  // One or two members, of any sets.
  void Stand(BudgetCase& one) {
    const auto last = static_cast<uint32_t>(one.tree.leaf_count() - 1);
    const auto set = UpTo(static_cast<uint32_t>(one.request.pod_sets.size() - 1));
    one.request.fixed.push_back({set, 0, UpTo(last)});
    if (OneIn(2) && one.request.pod_sets.front().count > 2)
      one.request.fixed.push_back({0, 1, UpTo(last)});
  }

  std::mt19937 random_;
};

struct Tally {
  int possible = 0;
  int first = 0;    // of those, placed with one step
  int gaps = 0;     // answers that were not proven
  int refused = 0;  // with too few steps
};

// Empty: the answer says what is true.
std::string FaultOf(BudgetCase& one, int64_t steps, const ReferenceBest& best, Tally& tally) {
  const PlacementView view{&one.tree, one.cluster.Counts(one.tree), &one.cluster};
  const PlacementResult result = Place(
      view, [&] { return view; }, one.request, Budget{steps});
  if (result.outcome != Outcome::kPlaced) {
    if (result.proven) return best.key ? "no placement is there, it says" : "";
    ++tally.refused;
    return best.key && steps == kCopysSteps ? "nothing was found" : "";
  }
  if (!best.key) return "there is no placement";
  PerLeaf totals;
  const std::string unfit = UnfitMembers(one.tree, one.cluster, one.request, result, totals);
  if (!unfit.empty()) return unfit;
  const auto key = PlacementKeyOf(one.tree, one.request, totals);
  if (!key) return "a rule is broken";
  tally.first += steps == 1 ? 1 : 0;
  if (result.proven) return *key == *best.key ? "" : "a better one is there than the proven one";
  ++tally.gaps;
  return result.gap ? GapFault(one.request, *result.gap, *key, *best.key) : "";
}

void Compare(int rounds, uint32_t seed) {
  Cases cases(seed);
  Tally tally;
  for (int round = 0; round < rounds; ++round) {
    BudgetCase one = cases.Next();
    const ReferenceBest best = EnumerateBest(
        one.tree, one.request,
        [&](int32_t leaf, std::span<const int32_t> pods) { return one.cluster.Holds(leaf, pods); });
    tally.possible += best.key ? 1 : 0;
    for (const int64_t steps : kBudgets) {
      const std::string fault = FaultOf(one, steps, best, tally);
      if (!fault.empty())
        FAIL(Text(one.tree, one.request, PerLeaf(one.tree.leaf_count(), 0))
             << " round " << round << ", " << steps << " steps: " << fault);
    }
  }
  INFO(tally.possible << " possible, " << tally.first << " with one step, " << tally.gaps
                      << " not proven, " << tally.refused << " refused");
  CHECK(tally.possible > rounds / 5);
  CHECK(tally.first > tally.possible * 3 / 4);
  CHECK(tally.gaps > rounds / 100);
}

// Racks of four nodes with room for eight each, all alike; one set of pods.
PlacementResult AskRacks(int racks, int32_t members, const LevelRules& rules, int64_t steps) {
  TreeSpec spec{2, {}};
  for (int leaf = 0; leaf < racks * 4; ++leaf) spec.leaves.push_back({leaf / 4});
  std::vector<size_t> source;
  const Tree tree = BuildTree(spec, InOrder(spec.leaves.size()), source);
  const FitCounts counts = RollUpCounts(tree, PerLeaf(spec.leaves.size(), 8));
  PlacementRequest request;
  request.strategy = Strategy::kExact;
  request.pod_sets = {{"workers", members, 0, false}};
  request.rules = rules;
  const PlacementView view{&tree, {&counts}};
  return Place(
      view, [&] { return view; }, request, Budget{steps});
}

// Nodes of at least so many leave gaps in what a rack takes; so many racks are to be used.
LevelRules RacksWithGaps(int32_t racks, int32_t least) {
  LevelRule rack, node;
  rack.partitions = racks;
  node.min = least;
  return {rack, node};
}

}  // namespace

TEST_CASE("exact: more parts than there are domains have no placement, whatever these take") {
  const PlacementResult result = AskRacks(200, 8'000, RacksWithGaps(1'600, 5), kPlannersSteps);
  CHECK(result.outcome == Outcome::kImpossible);
  CHECK(result.proven);
}

TEST_CASE("exact: what domains take together is found out within the steps, or not at all") {
  const LevelRules rules = RacksWithGaps(100, 5);
  // 101 numbers of racks, 100 words each, 200 racks: two million steps.
  const PlacementResult cut = AskRacks(200, 3'200, rules, kPlannersSteps);
  CHECK(cut.outcome == Outcome::kWait);
  CHECK_FALSE(cut.proven);
  CHECK(AskRacks(200, 3'200, rules, kCopysSteps).outcome == Outcome::kPlaced);
  // A table beyond all memory is not made with any number of steps.
  const PlacementResult large = AskRacks(3'000, 40'000, RacksWithGaps(2'500, 5), INT64_MAX / 4);
  CHECK(large.outcome == Outcome::kWait);
  CHECK_FALSE(large.proven);
}

TEST_CASE("exact: what stands without gaps is repaired with one step") {
  constexpr int32_t kMembers = 20'000;
  TreeSpec spec{1, std::vector<std::vector<int>>(kMembers)};
  std::vector<size_t> source;
  const Tree tree = BuildTree(spec, InOrder(spec.leaves.size()), source);
  const FitCounts counts = RollUpCounts(tree, PerLeaf(spec.leaves.size(), 1));
  PlacementRequest request;
  request.strategy = Strategy::kExact;
  request.pod_sets = {{"workers", kMembers, 0, false}};
  request.rules.resize(1);
  for (int32_t rank = 0; rank < kMembers - 1; ++rank) request.fixed.push_back({0, rank, rank});
  const PlacementView view{&tree, {&counts}};
  const PlacementResult result = Place(
      view, [&] { return view; }, request, Budget{1});
  REQUIRE(result.outcome == Outcome::kPlaced);
  CHECK(result.members.size() == 1);
}

TEST_CASE("exact: mixed gangs at every budget are answered truly") { Compare(Rounds(1'000), 61); }

TEST_CASE("exact: many mixed gangs at every budget are answered truly", "[.long]") {
  Compare(100'000, 62);
}

}  // namespace gangplan::exact_budget_test
