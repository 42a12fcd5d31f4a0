// Gangs with three and more pods of other shapes: the bound of a crowd is never above the best of
// all placements, and where it is met the answer is proven.
#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "algorithms/exact.h"
#include "algorithms/exact/ask.h"
#include "algorithms/exact/crowd.h"
#include "algorithms/exact/deal_graph.h"
#include "algorithms/exact/key.h"
#include "algorithms/exact/split.h"
#include "algorithms/leaf_room.h"
#include "tests/algorithms/exact_world.h"
#include "tests/algorithms/gap_check.h"
#include "tests/algorithms/mixed_cluster.h"
#include "tests/support/rounds.h"

namespace gangplan::exact_crowd_test {
namespace {

struct CrowdCase {
  Tree tree;
  MixedCluster cluster;
  PlacementRequest request;
};

class CrowdCases {
 public:
  // `many`: leaves, and domains of these, and pod sets.
  CrowdCases(uint32_t seed, bool many) : random_(seed), many_(many) {}

  CrowdCase Next() {
    CrowdCase one;
    TreeSpec spec{many_ ? 2 + UpTo(2) : 2 + UpTo(1), {}};
    for (int32_t leaves = many_ ? 6 + UpTo(6) : 2 + UpTo(3), leaf = 0; leaf < leaves; ++leaf) {
      spec.leaves.push_back({UpTo(many_ ? 2 : 1), UpTo(2)});
      if (many_) spec.leaves.back().push_back(UpTo(1));
    }
    std::vector<size_t> order = InOrder(spec.leaves.size()), source;
    std::shuffle(order.begin(), order.end(), random_);
    one.tree = BuildTree(spec, order, source);
    // Few resources and amounts, so that domains are often alike.
    for (int32_t leaf = 0; leaf < one.tree.leaf_count(); ++leaf)
      one.cluster.free.push_back({UpTo(4), UpTo(4)});
    one.request.strategy = Strategy::kExact;
    const int32_t sets = 2 + (OneIn(3) ? 1 + UpTo(many_ ? 1 : 0) : 0);
    for (int32_t set = 0; set < sets; ++set) {
      const int32_t count = (many_ && set > 0 ? 1 : 2) + UpTo(set == 0 ? 3 : 2);
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
  const bool many_;
};

// The best of all placements, by the members of each leaf: of those that some pods of the sets can
// be, leaf by leaf. Far fewer than the placements of EnumerateBest.
class BestOfTotals {
 public:
  explicit BestOfTotals(const CrowdCase& one) : one_(one), totals_(one.tree.leaf_count(), 0) {}

  std::optional<std::vector<int64_t>> Run() {
    std::set<PerLeaf> left = {{}};
    for (const PodSetRequest& set : one_.request.pod_sets) {
      PerLeaf all = *left.begin();
      all.push_back(set.count);
      left = {all};
    }
    Leaf(0, left);
    return best_;
  }

 private:
  // `left`: what of the sets may be left for this leaf and those after it.
  void Leaf(int32_t leaf, const std::set<PerLeaf>& left) {
    if (leaf == one_.tree.leaf_count()) {
      if (left.count(PerLeaf(one_.request.pod_sets.size(), 0)) == 0) return;
      const auto key = PlacementKeyOf(one_.tree, one_.request, totals_);
      if (key && (!best_ || *key < *best_)) best_ = key;
      return;
    }
    std::map<int32_t, std::set<PerLeaf>> after;  // by the members of the leaf
    for (const PerLeaf& sets : left) {
      PerLeaf pods(sets.size(), 0);
      Mixes(leaf, sets, 0, pods, after);
    }
    for (const auto& [members, sets] : after) {
      totals_[leaf] = members;
      Leaf(leaf + 1, sets);
    }
    totals_[leaf] = 0;
  }

  void Mixes(int32_t leaf, const PerLeaf& left, size_t set, PerLeaf& pods,
             std::map<int32_t, std::set<PerLeaf>>& after) {
    if (!one_.cluster.Holds(leaf, pods)) return;
    if (set == pods.size()) {
      PerLeaf rest = left;
      for (size_t i = 0; i < pods.size(); ++i) rest[i] -= pods[i];
      after[std::accumulate(pods.begin(), pods.end(), 0)].insert(std::move(rest));
      return;
    }
    for (; pods[set] <= left[set]; ++pods[set]) Mixes(leaf, left, set + 1, pods, after);
    pods[set] = 0;
  }

  const CrowdCase& one_;
  PerLeaf totals_;
  std::optional<std::vector<int64_t>> best_;
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
std::string FaultOf(CrowdCase& one, bool many, Met& met) {
  if (!ExactProblem(one.tree, one.request).empty()) return "";
  const PlacementView view{&one.tree, one.cluster.Counts(one.tree), &one.cluster};
  ReferenceBest best;
  best.key = BestOfTotals(one).Run();
  const auto fits = [&](int32_t leaf, std::span<const int32_t> pods) {
    return one.cluster.Holds(leaf, pods);
  };
  if (!many && EnumerateBest(one.tree, one.request, fits).key != best.key)
    return "the references differ";
  const exact::Shapes shapes(view, one.request, false);
  int64_t steps = kPlannersSteps;
  const exact::CrowdAnswer crowd =
      exact::AskCrowd(one.tree, shapes, exact::TermsOf(one.tree, one.request),
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

void Compare(int rounds, uint32_t seed, bool many) {
  CrowdCases cases(seed, many);
  Met met;
  for (int round = 0; round < rounds; ++round) {
    CrowdCase one = cases.Next();
    const std::string fault = FaultOf(one, many, met);
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

TEST_CASE("exact: deals with more states than a number has are refused, not miscounted") {
  CrowdCases cases(1, false);
  CrowdCase one = cases.Next();
  const PlacementView view{&one.tree, one.cluster.Counts(one.tree), &one.cluster};
  const exact::Shapes shapes(view, one.request, false);
  const exact::Loads loads(shapes);
  // 2^60 ways to leave out some of the values, times 256: in 64 bits that is 0.
  std::vector<exact::Run> values;
  for (int32_t value = 160; value > 100; --value) values.push_back({value, 1});
  values.push_back({0, 255});
  int64_t steps = kCopysSteps;
  exact::DealGraph<1> graph(loads, values, 0, steps);
  CHECK_FALSE(graph.Pay(315));
  for (size_t child = 0; child < 315; ++child) {
    graph.AddChild();
    for (size_t value = std::min<size_t>(child, 60); value <= 60; ++value)
      graph.Add(value, 0, static_cast<int32_t>(child));
  }
  CHECK_FALSE(graph.Begin());
}

TEST_CASE("exact: a key says what it costs level by level") {
  CrowdCases cases(3, false);
  std::mt19937 random(4);
  for (int round = 0; round < Rounds(500); ++round) {
    const CrowdCase one = cases.Next();
    const int32_t members = exact::AllMembers(one.request);
    const std::vector<exact::Terms> terms = exact::TermsOf(one.tree, one.request);
    const exact::KeyLayout layout(one.tree, terms, members);
    exact::Key<kMaxLevels + 1> key;
    std::vector<int64_t> costs(terms.size(), 0);
    for (int level = 0; level < one.tree.level_count(); ++level) {
      const LevelRule::Kind kind = terms[static_cast<size_t>(level)].kind;
      if (kind == LevelRule::Kind::kAny) continue;
      for (int32_t left = members; left > 0;) {
        const auto taken = static_cast<int32_t>(1 + random() % static_cast<uint32_t>(left));
        layout.Add(level, taken, 1, key);
        costs[static_cast<size_t>(level)] += exact::LevelCost(kind, taken);
        left -= taken;
      }
    }
    CHECK(layout.CostsOf(key) == costs);
  }
}

// Racks of nodes with some room, and as many others as there are loads for: more deals than these
// steps pay for.
TEST_CASE("exact: a deal that takes too much leaves the bound of its level") {
  CrowdCase one;
  std::mt19937 random(5);
  TreeSpec spec{3, {}};
  for (int32_t leaf = 0; leaf < 9 * 27 * 3; ++leaf) {
    spec.leaves.push_back({leaf / (27 * 3), leaf / 3});
    const auto devices = static_cast<int32_t>(random() % 9);
    one.cluster.free.push_back({devices, 8 * devices + static_cast<int32_t>(random() % 33)});
  }
  std::vector<size_t> source;
  one.tree = BuildTree(spec, InOrder(spec.leaves.size()), source);
  one.request.strategy = Strategy::kExact;
  one.request.pod_sets = {{"workers", 900, 0, false}, {"others", 24, 0, false}};
  one.cluster.demands = {{1, 8}, {0, 12}};
  one.request.rules.resize(3);
  const PlacementView view{&one.tree, one.cluster.Counts(one.tree), &one.cluster};
  const exact::Shapes shapes(view, one.request, false);
  for (const int64_t budget : {int64_t{100'000}, kPlannersSteps, 10 * kPlannersSteps}) {
    int64_t steps = budget;
    const exact::CrowdAnswer crowd =
        exact::AskCrowd(one.tree, shapes, exact::TermsOf(one.tree, one.request),
                        exact::AllMembers(one.request), steps);
    INFO(budget << " steps, " << steps << " left");
    REQUIRE(crowd.bound.size() == 3);
    CHECK(crowd.bound.front() > 0);
    CHECK(steps > -budget / 20);
  }
}

TEST_CASE("exact: the bound of a crowd is true") { Compare(Rounds(2'000), 71, false); }

TEST_CASE("exact: the bound of a crowd is true in larger clusters") {
  Compare(Rounds(100), 73, true);
}

TEST_CASE("exact: the bound of a crowd is true in 100,000 random cases", "[.long]") {
  Compare(100'000, 72, false);
}

TEST_CASE("exact: the bound of a crowd is true in 20,000 larger random clusters", "[.long]") {
  Compare(20'000, 74, true);
}

}  // namespace gangplan::exact_crowd_test
