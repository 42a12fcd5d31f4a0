// Several pod sets with shapes of their own, against every placement there is.
#include <algorithm>
#include <random>

#include "algorithms/leaf_room.h"
#include "tests/algorithms/exact_world.h"
#include "tests/algorithms/mixed_cluster.h"
#include "tests/support/rounds.h"

namespace gangplan::exact_sets_test {
namespace {

using Kind = LevelRule::Kind;
std::string FaultOf(const Tree& tree, MixedCluster& cluster, const PlacementRequest& request) {
  const PlacementView view{&tree, cluster.Counts(tree), &cluster};
  const PlacementResult result = Place(
      view, [&] { return view; }, request, Budget{});
  const ReferenceBest best = EnumerateBest(
      tree, request,
      [&](int32_t leaf, std::span<const int32_t> pods) { return cluster.Holds(leaf, pods); });
  if ((result.outcome == Outcome::kPlaced) != best.key.has_value())
    return fmt::format("{} {}, {} good", Name(result.outcome), result.problem,
                       best.key ? "some are" : "none is");
  if (result.outcome != Outcome::kPlaced) return "";
  PerLeaf totals;
  const std::string unfit = UnfitMembers(tree, cluster, request, result, totals);
  if (!unfit.empty()) return unfit;
  const auto key = PlacementKeyOf(tree, request, totals);
  if (!key || *key != *best.key)
    return fmt::format("{}: its key is {}, the best {}", fmt::join(totals, ","),
                       key ? fmt::format("{}", fmt::join(*key, ",")) : "none",
                       fmt::join(*best.key, ","));
  return result.proven ? "" : "not proven";
}

std::optional<LevelRule> RandomRule(std::mt19937& random) {
  if (random() % 3 == 0) return std::nullopt;
  LevelRule rule;
  if (random() % 2 == 0) rule.kind = Kind::kSpread;
  rule.hard = random() % 8 == 0;
  if (random() % 4 == 0) rule.partitions = 1 + static_cast<int32_t>(random() % 2);
  if (random() % 5 == 0) rule.min = 1 + static_cast<int32_t>(random() % 2);
  if (random() % 4 == 0) rule.max = rule.min.value_or(1) + static_cast<int32_t>(random() % 3);
  if (random() % 6 == 0) rule.factor = 2;
  return rule;
}

void Compare(int rounds, uint32_t seed) {
  std::mt19937 random(seed);
  const auto number = [&](uint32_t most) { return static_cast<int32_t>(random() % (most + 1)); };
  std::vector<size_t> source;
  int placed = 0;
  for (int round = 0; round < rounds; ++round) {
    TreeSpec spec{2 + number(1), {}};
    for (int32_t leaves = 2 + number(3), leaf = 0; leaf < leaves; ++leaf)
      spec.leaves.push_back({number(1), number(2)});
    const Tree tree = BuildTree(spec, InOrder(spec.leaves.size()), source);
    MixedCluster cluster;
    for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf)
      cluster.free.push_back({number(6), number(3)});
    PlacementRequest request;
    request.strategy = Strategy::kExact;
    const int32_t sets = 1 + number(2);
    for (int32_t set = 0; set < sets; ++set) {
      request.pod_sets.push_back(
          {fmt::format("s{}", set), 1 + number(set == 1 ? 3 : 1), 0, set == 0});
      cluster.demands.push_back({1 + number(2), number(1)});
    }
    for (int level = 0; level < tree.level_count(); ++level)
      request.rules.push_back(RandomRule(random));
    if (random() % 4 == 0)
      request.fixed.push_back({sets - 1, 0, number(static_cast<uint32_t>(tree.leaf_count() - 1))});
    const std::string fault = FaultOf(tree, cluster, request);
    if (!fault.empty()) {
      std::string demands;
      for (const Amounts& one : cluster.demands) demands += fmt::format(" {}", fmt::join(one, "/"));
      std::string free;
      for (const Amounts& one : cluster.free) free += fmt::format(" {}", fmt::join(one, "/"));
      FAIL(Text(tree, request, PerLeaf(tree.leaf_count(), 0))
           << " demands" << demands << " free" << free << "\n"
           << fault);
    }
    const PlacementView view{&tree, cluster.Counts(tree), &cluster};
    placed += Place(
                  view, [&] { return view; }, request, Budget{})
                          .outcome == Outcome::kPlaced
                  ? 1
                  : 0;
  }
  CHECK(placed > rounds / 5);
}

TEST_CASE("exact: several pod sets are answered as every placement says") {
  Compare(Rounds(15'000), 31);
}

TEST_CASE("exact: many random cases of several pod sets", "[.long]") { Compare(50'000, 32); }

TEST_CASE("exact: a leader and workers share a rack when they fit into one") {
  std::vector<size_t> source;
  const TreeSpec spec{2, {{0}, {0}, {1}, {1}, {1}}};
  const Tree tree = BuildTree(spec, InOrder(5), source);
  MixedCluster cluster;
  cluster.free = {{4, 2}, {4, 2}, {4, 1}, {4, 1}, {1, 0}};
  cluster.demands = {{1, 0}, {4, 1}};  // the leader needs no device
  PlacementRequest request;
  request.strategy = Strategy::kExact;
  request.pod_sets = {{"leader", 1, 0, true}, {"workers", 2, 0, false}};
  request.rules.resize(2);
  const PlacementView view{&tree, cluster.Counts(tree), &cluster};
  const auto place = [&](const Budget& budget) {
    return Place(
        view, [&] { return view; }, request, budget);
  };
  const PlacementResult result = place(Budget{});
  REQUIRE(result.outcome == Outcome::kPlaced);
  CHECK(result.members == std::vector<PlacedMember>{{0, 0, 4}, {1, 0, 2}, {1, 1, 3}});
  CHECK(result.proven);

  SECTION("with too few steps a placement is still found") {
    const PlacementResult ended = place(Budget{1});
    CHECK(ended.outcome == Outcome::kPlaced);
    CHECK(ended.members.size() == 3);
  }
}

}  // namespace
}  // namespace gangplan::exact_sets_test
