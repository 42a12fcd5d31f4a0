// Gangs with three and more pods of other shapes: the bound of a crowd is never above the best of
// all placements, and where it is met the answer is proven.
#include <algorithm>
#include <random>

#include "algorithms/exact.h"
#include "algorithms/exact/ask.h"
#include "algorithms/exact/crowd.h"
#include "algorithms/exact/split.h"
#include "tests/algorithms/exact_world.h"
#include "tests/algorithms/gap_check.h"
#include "tests/algorithms/mixed_cluster.h"
#include "tests/support/rounds.h"

namespace gangplan {
namespace {

struct CrowdCase {
  Tree tree;
  MixedCluster cluster;
  PlacementRequest request;
};

class CrowdCases {
 public:
  explicit CrowdCases(uint32_t seed) : random_(seed) {}

  CrowdCase Next() {
    CrowdCase one;
    TreeSpec spec{2 + UpTo(1), {}};
    for (int32_t leaves = 2 + UpTo(3), leaf = 0; leaf < leaves; ++leaf)
      spec.leaves.push_back({UpTo(1), UpTo(2)});
    std::vector<size_t> order = InOrder(spec.leaves.size()), source;
    std::shuffle(order.begin(), order.end(), random_);
    one.tree = BuildTree(spec, order, source);
    // Few resources and amounts, so that domains are often alike.
    for (int32_t leaf = 0; leaf < one.tree.leaf_count(); ++leaf)
      one.cluster.free.push_back({UpTo(4), UpTo(4)});
    one.request.strategy = Strategy::kExact;
    const int32_t sets = 2 + (OneIn(3) ? 1 : 0);
    for (int32_t set = 0; set < sets; ++set) {
      const int32_t count = 2 + UpTo(set == 0 ? 3 : 2);
      one.request.pod_sets.push_back({fmt::format("s{}", set), count, 0, false});
      one.cluster.demands.push_back(set == 0 ? Amounts{1, UpTo(1)} : Amounts{UpTo(1), 1 + UpTo(1)});
    }
    for (int level = 0; level < one.tree.level_count(); ++level)
      one.request.rules.push_back(RandomRule());
    return one;
  }

 private:
  int32_t UpTo(uint32_t most) { return static_cast<int32_t>(random_() % (most + 1)); }
  bool OneIn(uint32_t of) { return random_() % of == 0; }

  std::optional<LevelRule> RandomRule() {
    if (OneIn(2)) return std::nullopt;
    LevelRule rule;
    rule.kind = OneIn(8) ? LevelRule::Kind::kAny
                         : (OneIn(2) ? LevelRule::Kind::kSpread : LevelRule::Kind::kPack);
    rule.hard = OneIn(8);
    if (OneIn(6)) rule.partitions = 1 + UpTo(2);
    if (OneIn(6)) rule.min = 1 + UpTo(1);
    if (OneIn(6)) rule.max = rule.min.value_or(1) + UpTo(3);
    if (OneIn(8)) rule.factor = 2;
    return rule;
  }

  std::mt19937 random_;
};

// What the best placement costs, level by level, as the engine counts.
std::vector<int64_t> CostsOf(const PlacementRequest& request, const std::vector<int64_t>& key) {
  const int64_t domain = exact::LevelCost(LevelRule::Kind::kPack, 1) + 1;
  std::vector<int64_t> costs;
  for (const auto& [domains, squares] : ByLevel(request, key))
    costs.push_back(domains * domain + squares);
  return costs;
}

struct Met {
  int known = 0;
  int met = 0;
  int proven = 0;
};

// Empty: bound and answer are true.
std::string FaultOf(CrowdCase& one, Met& met) {
  if (!ExactProblem(one.tree, one.request).empty()) return "";
  const PlacementView view{&one.tree, one.cluster.Counts(one.tree), &one.cluster};
  const ReferenceBest best = EnumerateBest(
      one.tree, one.request,
      [&](int32_t leaf, std::span<const int32_t> pods) { return one.cluster.Holds(leaf, pods); });
  const exact::Shapes shapes(view, one.request, false);
  int64_t steps = kPlannersSteps;
  const exact::CrowdAnswer crowd =
      exact::AskCrowd(one.tree, shapes, exact::TermsOf(one.request),
                      exact::AllMembers(one.request), steps);
  if (!crowd.bound.empty() && best.key) {
    const std::vector<int64_t> costs = CostsOf(one.request, *best.key);
    if (costs < crowd.bound) return "the bound is above the best";
    ++met.known;
    met.met += costs == crowd.bound ? 1 : 0;
  }
  for (const int64_t budget : {int64_t{600}, int64_t{4'000}, kPlannersSteps, kCopysSteps}) {
    const PlacementResult result = Place(
        view, [&] { return view; }, one.request, Budget{budget});
    if (result.outcome != Outcome::kPlaced) {
      if (best.key && (result.proven || budget == kCopysSteps)) return "it is not placed";
      continue;
    }
    if (!best.key) return "there is no placement";
    PerLeaf totals;
    const std::string unfit = UnfitMembers(one.tree, one.cluster, one.request, result, totals);
    if (!unfit.empty()) return unfit;
    const auto key = PlacementKeyOf(one.tree, one.request, totals);
    if (!key) return "a rule is broken";
    met.proven += result.proven ? 1 : 0;
    if (result.proven && *key != *best.key) return "a better one is there than the proven one";
    if (!result.gap) continue;
    const std::string gap = GapFault(one.request, *result.gap, *key, *best.key);
    if (!gap.empty()) return gap;
  }
  return "";
}

void Compare(int rounds, uint32_t seed) {
  CrowdCases cases(seed);
  Met met;
  for (int round = 0; round < rounds; ++round) {
    CrowdCase one = cases.Next();
    const std::string fault = FaultOf(one, met);
    if (fault.empty()) continue;
    std::string free;
    for (const Amounts& leaf : one.cluster.free) free += fmt::format(" {}", fmt::join(leaf, "/"));
    for (const Amounts& demand : one.cluster.demands)
      free += fmt::format(" demand {}", fmt::join(demand, "/"));
    for (const PodSetRequest& set : one.request.pod_sets) free += fmt::format(" x{}", set.count);
    FAIL(Text(one.tree, one.request, PerLeaf(one.tree.leaf_count(), 0))
         << free << " round " << round << ": " << fault);
  }
  INFO(met.known << " bounds, " << met.met << " met, " << met.proven << " answers proven");
  CHECK(met.known > rounds / 6);
  CHECK(met.met > met.known / 2);
}

}  // namespace

TEST_CASE("exact: the bound of a crowd is true") { Compare(Rounds(2'000), 71); }

TEST_CASE("exact: the bound of a crowd is true in 100,000 random cases", "[.long]") {
  Compare(100'000, 72);
}

}  // namespace gangplan
