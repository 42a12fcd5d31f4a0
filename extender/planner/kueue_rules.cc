#include "extender/planner/kueue_rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "extender/planner/kueue_words.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::array kTopologyWords = {kKueueRequired,   kKueuePreferred, kKueueUnconstrained,
                                       kKueueSliceLevel, kKueueSliceSize, kKueueSliceLayers};

absl::StatusOr<int> LevelOf(std::string_view word, const std::string& label,
                            const Topology& topology) {
  auto level = std::find_if(topology.levels.begin(), topology.levels.end(),
                            [&](const Level& one) { return one.label == label; });
  if (level != topology.levels.end()) return static_cast<int>(level - topology.levels.begin());
  return Invalid("{}: topology \"{}\" has no level \"{}\"", word, topology.name,
                 label.substr(0, 64));
}

// The rule of a level, made when it is asked for first.
LevelRule& RuleAt(KueueRules& rules, int level) {
  std::optional<LevelRule>& rule = rules.rules[static_cast<size_t>(level)];
  if (!rule) rule.emplace().kind = LevelRule::Kind::kAny;
  return *rule;
}

absl::Status AddLevel(std::string_view word, std::string_view name,
                      const std::optional<std::string>& label, bool hard, const Topology& topology,
                      KueueRules& rules) {
  if (!label) return absl::OkStatus();
  GANGPLAN_ASSIGN_OR_RETURN(const int level, LevelOf(word, *label, topology));
  LevelRule& rule = RuleAt(rules, level);
  rule.kind = LevelRule::Kind::kPack;
  rule.hard = hard;
  rules.text = fmt::format("{} {}", name, topology.levels[static_cast<size_t>(level)].name);
  return absl::OkStatus();
}

absl::Status AddSlices(const KueueTopology& words, const Topology& topology, KueueRules& rules) {
  const std::string_view word = words.slices.size() > 1 ? kKueueSliceLayers : kKueueSliceLevel;
  for (const SliceConstraint& slice : words.slices) {
    GANGPLAN_ASSIGN_OR_RETURN(const int level, LevelOf(word, slice.topology, topology));
    RuleAt(rules, level).factor = slice.size;
    rules.text += fmt::format("{}slices of {} in one {}", rules.text.empty() ? "" : ", ",
                              slice.size, topology.levels[static_cast<size_t>(level)].name);
  }
  return absl::OkStatus();
}

}  // namespace

bool HasKueueTopology(const LabelSet& annotations) {
  return std::any_of(kTopologyWords.begin(), kTopologyWords.end(), [&](std::string_view word) {
    return FindLabel(annotations, word) != nullptr;
  });
}

absl::StatusOr<KueueRules> ReadKueueRules(const LabelSet& annotations, int32_t size,
                                          const Topology& topology) {
  const KueuePodSet pod_set{"main", size, annotations};
  const std::vector<KueuePodSetFault> faults = CheckKueuePodSets({&pod_set, 1}, KueueGates{});
  if (FindLabel(annotations, kKueueGroupName) != nullptr)
    return Invalid("{}: a leader beside its workers is not supported yet", kKueueGroupName);
  if (!faults.empty()) return Invalid("{}", Describe(faults.front().fault));
  GANGPLAN_ASSIGN_OR_RETURN(const std::optional<KueueTopology> words,
                            ReadKueueTopology(annotations, KueueGates{}));
  KueueRules rules;
  rules.rules.resize(topology.levels.size());
  if (words) {
    GANGPLAN_RETURN_IF_ERROR(
        AddLevel(kKueueRequired, "required", words->required, true, topology, rules));
    GANGPLAN_RETURN_IF_ERROR(
        AddLevel(kKueuePreferred, "preferred", words->preferred, false, topology, rules));
    GANGPLAN_RETURN_IF_ERROR(AddSlices(*words, topology, rules));
  }
  if (rules.text.empty()) rules.text = "unconstrained";
  return rules;
}

}  // namespace gangplan
