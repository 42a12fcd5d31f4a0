#include "extender/planner/engines.h"

#include <algorithm>

#include "algorithms/packs.h"
#include "algorithms/rule_text.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

bool HasRule(const GroupPodSet& set) {
  return std::any_of(set.rules.begin(), set.rules.end(),
                     [](const auto& rule) { return rule.has_value(); });
}

// Of words that are not Kueue's.
std::string TasFault(const Group& group, const Topology& topology) {
  constexpr std::string_view kEngine =
      "the tas engine, which engines.strategy sets for every group, knows no";
  if (group.pod_sets.size() > 1) {
    return fmt::format(
        "{} pod sets: {} rules of several together; expected Kueue's topology words on each, or "
        "engines.strategy: auto",
        group.pod_sets.size(), kEngine);
  }
  const PlaceRules& rules = group.pod_sets.front().rules;
  for (size_t level = 0; level < rules.size(); ++level) {
    const std::string_view word = rules[level] ? WordBeyondPack(*rules[level]) : "";
    if (word.empty()) continue;
    return fmt::format("{}: {} {}; expected pack or pack! alone, or engines.strategy: auto",
                       RuleText(topology.levels[level].name, *rules[level]), kEngine, word);
  }
  return {};
}

// Kueue's words are about a pod set and leave a last slice in part; the exact engine's rules are
// about the whole gang, and its factor leaves no rest.
std::string ExactFault(const Group& group, const Topology& topology) {
  constexpr std::string_view kEngine =
      "the exact engine, which engines.strategy sets for every group,";
  const GroupPodSet& first = group.pod_sets.front();
  for (size_t level = 0; group.pod_sets.size() == 1 && level < first.rules.size(); ++level) {
    const int32_t size = first.rules[level] ? first.rules[level]->factor.value_or(1) : 1;
    if (first.count % size == 0) continue;
    return fmt::format(
        "slices of {} in one {}: {} places whole slices only; expected a multiple of {} members "
        "instead of {}, or engines.strategy: auto",
        size, topology.levels[level].name, kEngine, size, first.count);
  }
  const auto own = std::find_if(group.pod_sets.begin(), group.pod_sets.end(), HasRule);
  if (group.pod_sets.size() == 1 || own == group.pod_sets.end()) return {};
  return fmt::format(
      "pod set {}: \"{}\": {} knows rules of all {} pod sets together only; expected "
      "gangplan.io/place on all, or engines.strategy: auto",
      own->name, own->place, kEngine, group.pod_sets.size());
}

}  // namespace

bool InKueueWords(const Group& group) {
  return std::any_of(group.pod_sets.begin(), group.pod_sets.end(),
                     [](const GroupPodSet& set) { return !set.kueue.empty(); });
}

EngineChoice EngineOf(const Group& group, const std::optional<Strategy>& for_all) {
  if (for_all) return {*for_all, "engines.strategy"};
  if (InKueueWords(group)) return {Strategy::kTas, "Kueue's words"};
  return {Strategy::kExact, "everything but Kueue's words"};
}

std::string EngineFault(const Group& group, const std::optional<Strategy>& for_all,
                        const Topology& topology) {
  const bool kueue = InKueueWords(group);
  if (for_all == Strategy::kTas && !kueue) return TasFault(group, topology);
  if (for_all == Strategy::kExact && kueue) return ExactFault(group, topology);
  return {};
}

void TranslateRules(const Group& group, PlacementRequest& request) {
  const bool kueue = InKueueWords(group);
  if (request.strategy == Strategy::kExact && !group.sakkara) BindUpwards(request.rules);
  if (request.strategy != Strategy::kTas || kueue) return;
  // No rule is a soft pack in our words, but no wish in Kueue's.
  const bool hard = std::any_of(request.rules.begin(), request.rules.end(),
                                [](const auto& rule) { return rule && rule->hard; });
  if (!hard) request.rules.back() = LevelRule{};
}

}  // namespace gangplan
