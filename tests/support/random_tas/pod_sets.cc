#include <algorithm>

#include "fmt/format.h"
#include "tests/support/random_tas/parts.h"

namespace gangplan::random_tas {
namespace {

using conformance::CasePodSet;
using conformance::PlacementCase;
using conformance::TopologyWords;

ResourceList RandomRequests(Dice& dice) {
  ResourceList requests;
  if (!dice.OneIn(25))
    requests.push_back({"cpu", dice.OneOf<int64_t>({0, 500, 500, 700, 1000, 1000, 2000})});
  if (dice.OneIn(5)) requests.push_back({"example.com/gpu", dice.Between(0, 2)});
  if (dice.OneIn(6)) requests.push_back({"memory", dice.Between(1, 3)});
  return requests;
}

NodeSelectorTerm RandomTerm(Dice& dice) {
  const SelectorRequirement side = {
      "side",
      dice.OneIn(3) ? SelectorOperator::kNotIn : SelectorOperator::kIn,
      {dice.OneWord({"left", "right"})}};
  const SelectorRequirement age = {"age",
                                   dice.OneIn(2) ? SelectorOperator::kGt : SelectorOperator::kLt,
                                   {fmt::format("{}", dice.Between(1, 5))}};
  const SelectorRequirement pool = {
      "pool", dice.OneIn(2) ? SelectorOperator::kExists : SelectorOperator::kDoesNotExist, {}};
  const SelectorRequirement name = {
      "metadata.name", SelectorOperator::kNotIn, {fmt::format("n{}", dice.Below(8))}};
  switch (dice.Below(5)) {
    case 0:
      return {{age}, {}};
    case 1:
      return {{pool, side}, {}};
    case 2:
      return {{}, {name}};
    case 3:
      return {{}, {}};  // matches nothing
    default:
      return {{side}, {}};
  }
}

void AddFilter(Dice& dice, CasePodSet& pod_set) {
  if (dice.OneIn(12)) pod_set.filter.node_selector = {{"side", dice.OneWord({"left", "right"})}};
  if (dice.OneIn(12)) {
    pod_set.filter.required_terms.emplace();
    while (pod_set.filter.required_terms->empty() || dice.OneIn(2))
      pod_set.filter.required_terms->push_back(RandomTerm(dice));
  }
  while (dice.OneIn(3)) pod_set.preferred_terms.push_back({dice.Between(1, 9), RandomTerm(dice)});
  if (dice.OneIn(3)) {
    Toleration toleration;
    toleration.key = dice.OneWord({"dedicated", "slow", ""});
    toleration.exists = toleration.key.empty() || dice.OneIn(2);
    if (!toleration.exists) toleration.value = dice.OneWord({"a", "b", ""});
    if (dice.OneIn(2)) toleration.effect = TaintEffect::kNoSchedule;
    pod_set.filter.tolerations.push_back(toleration);
  }
}

// Slice layers from `level` down, sizes that divide each other; rarely not.
void AddSlices(Dice& dice, const PlacementCase& placement_case, int64_t level,
               TopologyWords& words) {
  const int64_t levels = static_cast<int64_t>(placement_case.levels.size());
  int64_t size = dice.OneOf<int64_t>({1, 2, 2, 3, 4, 4, 6, 8});
  if (dice.OneIn(40)) level = 0;
  for (level = dice.Between(level, levels - 1); level < levels && words.slices.size() < 3;
       level += dice.OneIn(60) ? 0 : dice.Between(1, 2)) {
    words.slices.push_back({placement_case.levels[level], size});
    if (dice.OneIn(100)) words.slices.back().size.reset();
    if (dice.OneIn(2)) break;
    for (const int64_t divisor : {2, 3}) {
      if (size % divisor == 0) {
        size /= divisor;
        break;
      }
    }
    if (dice.OneIn(60)) ++size;
  }
}

std::string LevelName(Dice& dice, const PlacementCase& placement_case, int64_t level) {
  return dice.OneIn(100) ? "example.com/nowhere" : placement_case.levels[level];
}

std::optional<TopologyWords> RandomWords(Dice& dice, const PlacementCase& placement_case) {
  const int64_t levels = static_cast<int64_t>(placement_case.levels.size());
  const int64_t level = std::min(dice.Below(levels), dice.Below(levels));
  TopologyWords words;
  switch (dice.Below(12)) {
    case 0:
      return std::nullopt;
    case 1:
    case 2:
      words.unconstrained = true;
      return words;
    case 3:
    case 4:
      AddSlices(dice, placement_case, 0, words);
      return words;
    case 5:
    case 6:
    case 7:
      words.required = LevelName(dice, placement_case, level);
      break;
    default:
      words.preferred = LevelName(dice, placement_case, level);
      break;
  }
  if (dice.OneIn(2)) AddSlices(dice, placement_case, level, words);
  return words;
}

// Preferred at a level with others below it, which slices may be balanced over.
TopologyWords WordsOfBalance(Dice& dice, const PlacementCase& placement_case) {
  const int64_t level = dice.Below(static_cast<int64_t>(placement_case.levels.size()) - 1);
  TopologyWords words;
  words.preferred = placement_case.levels[level];
  if (dice.OneIn(2)) AddSlices(dice, placement_case, level, words);
  return words;
}

// Layers whose sizes divide each other, on levels that lie one below the other.
TopologyWords WordsOfLayers(Dice& dice, const PlacementCase& placement_case) {
  const std::vector<std::vector<int64_t>> sizes = {{8, 4, 2},  {4, 2, 1}, {6, 3, 1},
                                                   {12, 4, 2}, {8, 4},    {6, 2}};
  const int64_t levels = static_cast<int64_t>(placement_case.levels.size());
  const std::vector<int64_t>& chosen = dice.OneOf(sizes);
  const int64_t layers = std::min<int64_t>(static_cast<int64_t>(chosen.size()), levels);
  const int64_t first = dice.Between(0, levels - layers);
  TopologyWords words;
  for (int64_t i = 0; i < layers; ++i)
    words.slices.push_back({placement_case.levels[first + i], chosen[i]});
  const std::string level = placement_case.levels[dice.Between(0, first)];
  if (dice.OneIn(3))
    words.required = level;
  else if (!dice.OneIn(4))
    words.preferred = level;
  return words;
}

// About what the whole cluster holds.
int64_t RoughRoom(const PlacementCase& placement_case, const CasePodSet& pod_set) {
  int64_t cpu = 500;
  for (const ResourceAmount& r : pod_set.requests) {
    if (r.name == "cpu" && r.amount > 0) cpu = r.amount;
  }
  int64_t room = 0;
  for (const NodeFacts& node : placement_case.nodes) room += node.allocatable[0].amount / cpu;
  return room;
}

int64_t RandomCount(Dice& dice, const PlacementCase& placement_case, const CasePodSet& pod_set) {
  const int64_t room = RoughRoom(placement_case, pod_set) / dice.Between(1, 4);
  const int64_t count = dice.OneIn(6) ? dice.Between(1, 4) : dice.Between(1, room + 1);
  if (!pod_set.topology || pod_set.topology->slices.empty() || dice.OneIn(12)) return count;
  const int64_t size = pod_set.topology->slices[0].size.value_or(1);
  return std::max<int64_t>(1, count / size) * size;
}

CasePodSet RandomPodSet(Dice& dice, Focus focus, const PlacementCase& placement_case,
                        std::string name) {
  CasePodSet pod_set;
  pod_set.name = std::move(name);
  pod_set.requests = RandomRequests(dice);
  if (focus == Focus::kAny) pod_set.topology = RandomWords(dice, placement_case);
  if (focus == Focus::kBalance) pod_set.topology = WordsOfBalance(dice, placement_case);
  if (focus == Focus::kLayers) pod_set.topology = WordsOfLayers(dice, placement_case);
  pod_set.count = RandomCount(dice, placement_case, pod_set);
  if (focus == Focus::kAny || dice.OneIn(4)) AddFilter(dice, pod_set);
  return pod_set;
}

// One pod is no slice.
void LeaveOutSlices(TopologyWords& words) {
  words.slices.clear();
  words.unconstrained = !words.required && !words.preferred;
}

// A leader of one pod beside workers, in either order.
void AddGroup(Dice& dice, Focus focus, PlacementCase& placement_case, int64_t number) {
  CasePodSet workers = RandomPodSet(dice, focus, placement_case, fmt::format("workers-{}", number));
  workers.group = fmt::format("group-{}", number);
  CasePodSet leader = workers;
  leader.name = fmt::format("leader-{}", number);
  leader.count = 1;
  if (leader.topology) LeaveOutSlices(*leader.topology);
  leader.requests = RandomRequests(dice);
  if (dice.OneIn(3)) {
    leader.filter = {};
    AddFilter(dice, leader);
  }
  placement_case.pod_sets.push_back(leader);
  placement_case.pod_sets.push_back(workers);
  if (dice.OneIn(2))
    std::swap(*placement_case.pod_sets.rbegin(), *(placement_case.pod_sets.rbegin() + 1));
}

}  // namespace

void AddPodSets(Dice& dice, Focus focus, PlacementCase& placement_case) {
  conformance::PlacementOptions& options = placement_case.options;
  options.profile = !dice.OneIn(3)   ? TasProfile::kMixed
                    : !dice.OneIn(3) ? TasProfile::kBestFit
                    : dice.OneIn(2)  ? TasProfile::kMostFree
                                     : TasProfile::kLeastFree;
  options.balanced_placement = focus == Focus::kBalance || dice.OneIn(3);
  options.preferred_node_affinity = dice.OneIn(3);
  if (dice.OneIn(8)) placement_case.flavor_tolerations = {{"dedicated", true, "", std::nullopt}};
  const int64_t groups = dice.OneIn(4) ? dice.Between(2, 3) : 1;
  for (int64_t i = 0; i < groups; ++i) {
    if (dice.OneIn(focus == Focus::kBalance ? 2 : 4))
      AddGroup(dice, focus, placement_case, i);
    else
      placement_case.pod_sets.push_back(
          RandomPodSet(dice, focus, placement_case, fmt::format("set-{}", i)));
  }
  CasePodSet& first = placement_case.pod_sets[0];
  if (first.group.empty() && dice.OneIn(40)) first.count = 0;
}

}  // namespace gangplan::random_tas
