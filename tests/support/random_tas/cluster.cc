#include <algorithm>

#include "fmt/format.h"
#include "tests/support/random_tas/parts.h"

namespace gangplan::random_tas {
namespace {

using conformance::PlacementCase;

constexpr const char* kHost = "kubernetes.io/hostname";
const std::vector<std::string> kUpperLevels = {"example.com/zone", "example.com/hall",
                                               "example.com/block", "example.com/rack"};

std::vector<std::string> RandomLevels(Dice& dice, Focus focus) {
  const bool with_host = !dice.OneIn(focus == Focus::kAny ? 4 : 12);
  int64_t upper = dice.OneOf<int64_t>({1, 2, 2, 2, 3, 3, 3, with_host ? 0 : 4});
  if (focus != Focus::kAny) upper = dice.Between(2, 3);
  std::vector<std::string> levels(kUpperLevels.end() - upper, kUpperLevels.end());
  if (with_host) levels.push_back(kHost);
  return levels;
}

Taint RandomTaint(Dice& dice) {
  const std::vector<TaintEffect> effects = {TaintEffect::kNoSchedule, TaintEffect::kNoExecute,
                                            TaintEffect::kPreferNoSchedule};
  return {dice.OneWord({"dedicated", "slow"}), dice.OneWord({"a", "b", ""}), dice.OneOf(effects)};
}

// Sometimes a value repeats under several parents, sometimes each is its own.
std::string UpperValue(Dice& dice, const std::string& parent, int64_t branches, bool own) {
  const std::string value = fmt::format("d{}", dice.Below(branches));
  return own ? fmt::format("{}-{}", parent, value) : value;
}

ResourceList RandomAllocatable(Dice& dice) {
  ResourceList amounts;
  amounts.push_back({"cpu", dice.Between(1, 7) * 500});
  if (!dice.OneIn(6)) amounts.push_back({"example.com/gpu", dice.Between(0, 8)});
  if (!dice.OneIn(8)) amounts.push_back({"memory", dice.Between(1, 16)});
  if (!dice.OneIn(30)) amounts.push_back({"pods", dice.OneIn(3) ? dice.Between(1, 5) : 110});
  return amounts;
}

struct Shape {
  int64_t branches = 2;  // at most, of every upper level
  bool own_values = true;
  bool taints = false;
  bool faults = false;  // nodes that do not take part
};

LabelSet RandomLabels(Dice& dice, const PlacementCase& placement_case, const Shape& shape,
                      const std::string& host) {
  LabelSet labels = {{"pool", dice.OneIn(5) ? "other" : "batch"},
                     {"side", dice.OneWord({"left", "right"})},
                     {"age", fmt::format("{}", dice.Between(1, 5))},
                     {kHost, host}};
  std::string parent = "d";
  for (const std::string& level : placement_case.levels) {
    if (level == kHost) continue;
    parent = UpperValue(dice, parent, shape.branches, shape.own_values);
    if (shape.faults && dice.OneIn(20)) continue;
    labels.emplace_back(level, dice.OneIn(60) ? "" : parent);
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

NodeFacts RandomNode(Dice& dice, const PlacementCase& placement_case, const Shape& shape,
                     int64_t number) {
  NodeFacts node;
  node.name = fmt::format("n{}", number);
  // Hosts in an order of their own, so that the order of racks is not theirs.
  node.labels =
      RandomLabels(dice, placement_case, shape, fmt::format("x{}", (number * 37 + 11) % 101));
  node.allocatable = RandomAllocatable(dice);
  node.ready = !shape.faults || !dice.OneIn(10);
  node.unschedulable = shape.faults && dice.OneIn(12);
  while (shape.taints && dice.OneIn(3)) node.taints.push_back(RandomTaint(dice));
  return node;
}

void AddRunningPods(Dice& dice, PlacementCase& placement_case) {
  const std::vector<std::string> phases = {"Running", "Running", "Pending", "Succeeded", "Failed"};
  const int64_t pods = dice.Below(8);
  for (int64_t i = 0; i < pods; ++i) {
    const NodeFacts& node = dice.OneOf(placement_case.nodes);
    placement_case.running_pods.push_back({fmt::format("p{}", i),
                                           dice.OneIn(8) ? "" : node.name,
                                           dice.OneOf(phases),
                                           {{"cpu", dice.Between(1, 4) * 250}}});
  }
}

// Of domains that exist, are not in the tree, or both by turns.
void AddUse(Dice& dice, PlacementCase& placement_case) {
  for (const NodeFacts& node : placement_case.nodes) {
    if (!dice.OneIn(3)) continue;
    std::vector<std::string> domain;
    for (const std::string& level : placement_case.levels) {
      const std::string* value = FindLabel(node.labels, level);
      domain.push_back(value == nullptr ? "gone" : *value);
    }
    const int64_t pods = dice.Between(1, 3);
    placement_case.used.push_back({domain, {{"cpu", pods * 500}, {"pods", pods}}});
    if (dice.OneIn(3))
      placement_case.used.back().requests.insert(placement_case.used.back().requests.begin() + 1,
                                                 {"example.com/gpu", pods});
  }
}

}  // namespace

void AddCluster(Dice& dice, Focus focus, PlacementCase& placement_case) {
  const bool any = focus == Focus::kAny;
  placement_case.levels = RandomLevels(dice, focus);
  if (any && dice.OneIn(6)) placement_case.node_filter_labels = {{"pool", "batch"}};
  const Shape shape{dice.Between(any ? 1 : 2, 3), dice.OneIn(2), any && dice.OneIn(4),
                    any && dice.OneIn(3)};
  int64_t nodes = any ? dice.Between(4, 20) : dice.Between(8, 26);
  if (any && dice.OneIn(8)) nodes = dice.Between(0, 3);
  for (int64_t i = 0; i < nodes; ++i)
    placement_case.nodes.push_back(RandomNode(dice, placement_case, shape, i));
  if (nodes > 0 && dice.OneIn(3)) AddRunningPods(dice, placement_case);
  if (dice.OneIn(any ? 3 : 8)) AddUse(dice, placement_case);
}

}  // namespace gangplan::random_tas
