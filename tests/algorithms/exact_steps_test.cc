// A step is about the same work everywhere: over questions of every kind what was done, counted
// where it is done (work.h), is held against the steps that were paid.
#include <algorithm>
#include <random>

#include "algorithms/exact/units.h"
#include "algorithms/exact/work.h"
#include "tests/algorithms/exact_world.h"
#include "tests/algorithms/mixed_cluster.h"
#include "tests/support/level_rule.h"

namespace gangplan::exact_steps_test {
namespace {

using Kind = LevelRule::Kind;

// Units of a step: these, four times as many or a fourth of them.
constexpr int64_t kMiddle = 20;
constexpr int64_t kApart = 4;
// What is beside it is seen in questions that are as small as this.
constexpr int64_t kFewUnits = 20'000;

// How many of each level are in one of the level above.
using Sizes = std::vector<int32_t>;

const std::vector<Sizes>& AllSizes() {
  static const std::vector<Sizes> kSizes = {{2, 4, 8},    {8, 20, 32},  {1, 1, 2'000},
                                            {1, 300, 10}, {1, 20, 200}, {2, 3, 2, 4, 6}};
  return kSizes;
}

Tree ClusterOf(const Sizes& sizes) {
  int32_t leaves = 1;
  for (const int32_t size : sizes) leaves *= size;
  std::vector<NodeFacts> nodes;
  for (int32_t leaf = 0; leaf < leaves; ++leaf) {
    LabelSet labels;
    int32_t inside = leaves;  // of one domain of the level
    for (size_t level = 0; level + 1 < sizes.size(); ++level) {
      inside /= sizes[level];
      labels.emplace_back(fmt::format("l{}", level), fmt::format("d{:05}", leaf / inside));
    }
    nodes.push_back(MakeNode(fmt::format("n{:05}", leaf), labels));
  }
  std::vector<const NodeFacts*> pointers;
  for (const NodeFacts& node : nodes) pointers.push_back(&node);
  return Tree(TopologyOf(static_cast<int>(sizes.size())), pointers);
}

// Rules of the lowest three levels; `own` those of the second pod set.
struct Named {
  std::string name;
  LevelRules rules;
  LevelRules own = {};
};

LevelRule Ranked(int32_t factor) {
  LevelRule rule = Rule(Kind::kPack, false, 0, 0, 0, factor);
  rule.ranked = true;
  return rule;
}

std::vector<Named> AllRules() {
  const LevelRule pack = Rule(Kind::kPack), spread = Rule(Kind::kSpread);
  const LevelRule one = Rule(Kind::kPack, true), any = Rule(Kind::kAny);
  const std::nullopt_t none = std::nullopt;
  return {
      {"no rule", {none, none, none}},
      {"block=pack!", {one, none, none}},
      {"rack=spread", {pack, spread, pack}},
      {"node=spread", {pack, pack, spread}},
      {"spread everywhere", {spread, spread, spread}},
      {"rack=any", {any, any, pack}},
      {"any everywhere", {any, any, any}},
      {"block=spread", {spread, pack, pack}},
      {"rack partitions=4", {pack, Rule(Kind::kPack, false, 4), pack}},
      {"rack=spread partitions=8", {one, Rule(Kind::kSpread, false, 8), pack}},
      {"block partitions=2", {Rule(Kind::kPack, false, 2), spread, pack}},
      {"node max=2", {pack, pack, Rule(Kind::kPack, false, 0, 0, 2)}},
      {"node min=3", {pack, pack, Rule(Kind::kPack, false, 0, 3)}},
      {"node min=5", {pack, spread, Rule(Kind::kPack, false, 0, 5)}},
      {"node=spread min=3 max=4", {pack, pack, Rule(Kind::kSpread, false, 0, 3, 4)}},
      {"node factor=4", {pack, pack, Rule(Kind::kPack, false, 0, 0, 0, 4)}},
      {"rack factor=8 node factor=2",
       {pack, Rule(Kind::kPack, false, 0, 0, 0, 8), Rule(Kind::kPack, false, 0, 0, 0, 2)}},
      {"rack=spread min=8 max=32", {pack, Rule(Kind::kSpread, false, 0, 8, 32), pack}},
      {"rack min=30 max=32 node=spread", {pack, Rule(Kind::kPack, false, 0, 30, 32), spread}},
      {"rack=spread min=16 factor=4 node partitions=8",
       {pack, Rule(Kind::kSpread, false, 0, 16, 0, 4), Rule(Kind::kPack, false, 8)}},
      {"rack partitions=4 node min=5",
       {none, Rule(Kind::kPack, false, 4), Rule(Kind::kPack, false, 0, 5)}},
      {"node=spread partitions=16", {none, none, Rule(Kind::kSpread, false, 16)}},
      {"node ranks=2", {none, none, Ranked(2)}},
      {"others node=spread!", {none, none, none}, {none, none, Rule(Kind::kSpread, true)}},
      {"others rack=pack!", {none, none, none}, {one, one, none}},
      {"others rack=spread min=2",
       {one, none, none},
       {none, Rule(Kind::kSpread, false, 0, 2), none}},
  };
}

// Pods of other shapes beside the workers, a pod set each.
const std::vector<std::vector<int32_t>>& AllOthers() {
  static const std::vector<std::vector<int32_t>> kOthers = {{}, {1}, {2}, {1, 1}, {3}, {8}, {3, 2}};
  return kOthers;
}

// Nodes of 8 devices and 96 cores, or what is left of them; a worker takes one and 8.
MixedCluster RoomOf(const Tree& tree, bool half_used, size_t others) {
  MixedCluster cluster;
  std::mt19937 random(7);
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf) {
    const int32_t devices = half_used ? static_cast<int32_t>(random() % 9) : 8;
    const auto cores = static_cast<int32_t>(random() % 33);
    cluster.free.push_back({devices, half_used ? 8 * devices + cores : 96});
  }
  cluster.demands = {{1, 8}};
  for (size_t set = 0; set < others; ++set)
    cluster.demands.push_back(set == 0 ? Amounts{0, 12} : Amounts{2, 16});
  return cluster;
}

PlacementRequest RequestOf(const Tree& tree, const Named& named, const std::vector<int32_t>& others,
                           int32_t members, int32_t stand) {
  PlacementRequest request;
  request.strategy = Strategy::kExact;
  const auto above = static_cast<size_t>(tree.level_count()) - named.rules.size();
  const auto all_levels = [&](const LevelRules& rules) {
    LevelRules all(above);
    all.insert(all.end(), rules.begin(), rules.end());
    return all;
  };
  request.rules = all_levels(named.rules);
  for (const int32_t other : others) members -= other;
  request.pod_sets.push_back({"workers", members, 0, -1});
  for (const int32_t other : others) request.pod_sets.push_back({"others", other, 0, -1});
  if (!named.own.empty()) request.pod_sets[1].rules = all_levels(named.own);
  std::mt19937 random(3);
  for (int32_t rank = 0; rank < stand; ++rank) {
    const auto leaf = static_cast<int32_t>(random() % static_cast<uint32_t>(tree.leaf_count()));
    request.fixed.push_back({0, rank, leaf});
  }
  return request;
}

struct Tally {
  int finished = 0;
  int ended = 0;
  std::string faults;
};

void Ask(const PlacementView& view, const PlacementRequest& request, int64_t budget,
         const std::string& name, Tally& tally) {
  int64_t steps = budget;
  exact::work_units = 0;
  exact::AskInUnits(view, request, false, steps);
  const int64_t units = exact::work_units, used = std::min(budget, budget - steps);
  if (units < kFewUnits) return;
  ++(used < budget ? tally.finished : tally.ended);
  // Of what ended it is not known how much of the last lump was done.
  const bool few = used < budget && units * kApart < used * kMiddle;
  if (few || units > used * kMiddle * kApart)
    tally.faults += fmt::format("{}, {} steps: {} units for {}\n", name, budget, units, used);
}

// One question in so many.
Tally AskAll(int one_in) {
  Tally tally;
  int number = 0;
  for (const Sizes& sizes : AllSizes()) {
    const Tree tree = ClusterOf(sizes);
    for (const bool half_used : {false, true}) {
      for (const std::vector<int32_t>& others : AllOthers()) {
        MixedCluster cluster = RoomOf(tree, half_used, others.size());
        const PlacementView view{&tree, cluster.Counts(tree), others.empty() ? nullptr : &cluster};
        for (const Named& named : AllRules()) {
          const bool ranked = named.rules.back() && named.rules.back()->ranked;
          if (others.empty() ? !named.own.empty() : ranked) continue;
          for (const auto& [members, stand, budget] :
               {std::tuple{48, 0, kPlannersSteps}, std::tuple{400, 20, kPlannersSteps},
                std::tuple{48, 20, 10 * kPlannersSteps}, std::tuple{400, 0, 10 * kPlannersSteps}}) {
            if (++number % one_in != 0) continue;
            const std::string name =
                fmt::format("{} {}, {} others, {} members, {} stand, {}", fmt::join(sizes, "x"),
                            half_used ? "half used" : "empty", fmt::join(others, "+"), members,
                            stand, named.name);
            Ask(view, RequestOf(tree, named, others, members, stand), budget, name, tally);
          }
        }
      }
    }
  }
  return tally;
}

}  // namespace

TEST_CASE("exact: a step is the same work everywhere, within four times") {
  const Tally tally = AskAll(13);
  INFO(tally.finished << " finished, " << tally.ended << " ended");
  CHECK(tally.faults == "");
  CHECK(tally.finished > 100);
  CHECK(tally.ended > 30);
}

TEST_CASE("exact: a step is the same work everywhere, all questions", "[.long]") {
  CHECK(AskAll(1).faults == "");
}

}  // namespace gangplan::exact_steps_test
