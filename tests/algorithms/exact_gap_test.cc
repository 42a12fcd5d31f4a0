// When the steps end: a placement that keeps the rules, and how far it may be from the best, held
// against every placement there is.
#include <algorithm>
#include <random>

#include "algorithms/explain.h"
#include "tests/algorithms/exact_world.h"
#include "tests/algorithms/gap_check.h"
#include "tests/support/level_rule.h"
#include "tests/support/rounds.h"

namespace gangplan::exact_gap_test {
namespace {

using Kind = LevelRule::Kind;
struct Looked {
  int unproven = 0;
  int exact = 0;  // of those, where the best meets the bound
};

// Answers with few steps.
void Look(const Tree& tree, const PlacementRequest& request, const PerLeaf& counts, int64_t steps,
          Looked& looked) {
  const FitCounts rolled = RollUpCounts(tree, counts);
  const PlacementView view{&tree, {&rolled}};
  const PlacementResult result = Place(
      view, [&] { return view; }, request, Budget{steps});
  const ReferenceBest best = EnumerateBest(
      tree, request,
      [&](int32_t leaf, std::span<const int32_t> pods) { return pods[0] <= counts[leaf]; });
  if (!best.key) {
    CHECK(result.outcome != Outcome::kPlaced);
    return;
  }
  REQUIRE(result.outcome == Outcome::kPlaced);
  const auto reached = PlacementKeyOf(tree, request, *PlacedPerLeaf(tree, result));
  REQUIRE(reached);
  CHECK(result.gap.has_value() == !result.proven);
  if (result.proven) {
    CHECK(*reached == *best.key);
    return;
  }
  const std::string fault = GapFault(request, *result.gap, *reached, *best.key);
  if (!fault.empty()) FAIL(Text(tree, request, counts) << " " << steps << " steps: " << fault);
  ++looked.unproven;
  const GapNumber number = ByLevel(request, *best.key)[result.gap->level];
  if (number.first == result.gap->bound_domains &&
      std::abs(number.second) == result.gap->bound_squares)
    ++looked.exact;
}

TEST_CASE("exact: the gap of an answer that is not proven holds the best of all placements") {
  std::mt19937 random(41);
  const auto number = [&](uint32_t most) { return static_cast<int32_t>(random() % (most + 1)); };
  std::vector<size_t> source;
  Looked looked;
  for (int round = 0; round < Rounds(2000); ++round) {
    TreeSpec spec{3, {}};
    for (int32_t leaves = 4 + number(4), leaf = 0; leaf < leaves; ++leaf)
      spec.leaves.push_back({number(1), number(2), 0});
    const Tree tree = BuildTree(spec, InOrder(spec.leaves.size()), source);
    PerLeaf counts;
    for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf) counts.push_back(number(4));
    PlacementRequest request;
    request.strategy = Strategy::kExact;
    request.pod_sets = {{"", 3 + number(4), 0}};
    for (int level = 0; level < 3; ++level)
      request.rules.push_back(Rule(number(1) == 0 ? Kind::kPack : Kind::kSpread));
    if (number(1) == 0) request.rules[2]->min = 2;
    if (number(2) == 0) request.rules[1]->partitions = 2;
    Look(tree, request, counts, 1 + number(40), looked);
  }
  CHECK(looked.unproven > 50);
  CHECK(looked.exact > 10);
}

// One rack of each block holds all, of one block in fewer nodes.
TEST_CASE("exact: a placement that is not proven is told with its gap") {
  std::vector<size_t> source;
  const Tree tree =
      BuildTree({3, {{0, 0}, {0, 0}, {0, 1}, {0, 1}, {1, 2}, {1, 2}}}, InOrder(6), source);
  const FitCounts counts = RollUpCounts(tree, {2, 2, 2, 2, 4, 2});
  const PlacementView view{&tree, {&counts}};
  PlacementRequest request;
  request.strategy = Strategy::kExact;
  request.pod_sets = {{"", 4, 0}};
  request.rules = {Rule(Kind::kPack), Rule(Kind::kPack), Rule(Kind::kPack)};
  const PlacementResult ended = Place(
      view, [&] { return view; }, request, Budget{3});
  REQUIRE(ended.outcome == Outcome::kPlaced);
  REQUIRE(ended.gap);
  CHECK(*ended.gap == PlacementGap{2, 2, 8, 1, 16});
  request.rules[0]->max = 4;  // packs alone are told by room
  CHECK(EvidenceText(view, view, request, Budget{3}) ==
        "  asked: 4 members by level0=pack max=4\n"
        "  it can be placed now\n"
        "  the search ended before the best was proven: 2 of level node are used, at least 1 are "
        "needed");
}

}  // namespace
}  // namespace gangplan::exact_gap_test
