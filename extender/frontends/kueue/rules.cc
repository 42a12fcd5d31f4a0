#include "extender/frontends/kueue/rules.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/ranks.h"
#include "extender/frontends/kueue/draft_words.h"
#include "extender/frontends/kueue/go_text.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::array kTopologyWords = {kKueueRequired,     kKueuePreferred,  kKueueUnconstrained,
                                       kKueueSliceLevel,   kKueueSliceSize,  kKueueSliceLayers,
                                       kKueueDraftRequire, kKueueDraftPrefer};

absl::StatusOr<int> LevelOf(std::string_view word, const std::string& label,
                            const Topology& topology) {
  auto level = std::find_if(topology.levels.begin(), topology.levels.end(),
                            [&](const Level& one) { return one.label == label; });
  if (level != topology.levels.end()) return static_cast<int>(level - topology.levels.begin());
  return Invalid("{}: topology \"{}\" has no level \"{}\"", word, topology.name, Shown(label));
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

// In place of a name that somebody has given.
constexpr std::string_view kOneReplica = "leaderworkerset.sigs.k8s.io/replica";

bool NamesReplica(const std::pair<std::string, std::string>& word) {
  return word.first == kKueueGroupName && word.second == kOneReplica;
}

bool SayTheSame(std::span<const PodSetSpec> pod_sets) {
  return pod_sets.size() > 1 &&
         std::all_of(pod_sets.begin(), pod_sets.end(),
                     [&](const PodSetSpec& set) { return set.words == pod_sets.front().words; });
}

}  // namespace

bool HasKueueTopology(const LabelSet& annotations) {
  return std::any_of(kTopologyWords.begin(), kTopologyWords.end(), [&](std::string_view word) {
    return FindLabel(annotations, word) != nullptr;
  });
}

LabelSet KueueWords(const LabelSet& annotations) {
  LabelSet words;
  std::copy_if(annotations.begin(), annotations.end(), std::back_inserter(words),
               [](const auto& entry) {
                 return entry.first == kKueueGroupName || entry.first == kKueueIndexOffset ||
                        std::find(kTopologyWords.begin(), kTopologyWords.end(), entry.first) !=
                            kTopologyWords.end();
               });
  return words;
}

absl::StatusOr<KueueRules> ReadKueueRules(const LabelSet& annotations, int32_t count,
                                          const Topology& topology) {
  const std::vector<KueueWordFault> faults =
      CheckKueuePodSet({"", count, annotations}, KueueGates{});
  if (!faults.empty()) return Invalid("{}", Describe(faults.front()));
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

void TieReplica(LabelSet& words) {
  const bool near = FindLabel(words, kKueueRequired) || FindLabel(words, kKueuePreferred);
  const bool apart = FindLabel(words, kKueueGroupName) || FindLabel(words, kKueueIndexOffset);
  if (near && !apart) SetLabel(words, kKueueGroupName, std::string(kOneReplica));
}

PodSetTies TieKueuePodSets(std::span<const PodSetSpec> pod_sets) {
  PodSetTies ties;
  std::vector<RankedPodSet> ranked;
  std::vector<KueuePodSet> worded;
  const bool alike = SayTheSame(pod_sets);
  for (const PodSetSpec& set : pod_sets) {
    LabelSet words = set.words;
    if (!alike) std::erase_if(words, NamesReplica);
    RankedPodSet& one = ranked.emplace_back();
    one.count = set.count;
    if (const std::string* name = FindLabel(words, kKueueGroupName)) one.group = *name;
    if (const std::string* offset = FindLabel(words, kKueueIndexOffset))
      one.offset = ReadGoInteger(*offset).value_or(0);
    worded.push_back({set.name, set.count, std::move(words)});
  }
  for (size_t i = 0; i < ranked.size(); ++i) {
    const auto first = std::find_if(ranked.begin(), ranked.end(), [&](const RankedPodSet& other) {
      return other.group == ranked[i].group;
    });
    const auto number = static_cast<int32_t>(first - ranked.begin());
    ties.group.push_back(ranked[i].group.empty() ? -1 : number);
    ties.offset.push_back(static_cast<int32_t>(FirstIndex(ranked, i)));
  }
  const std::vector<KueuePodSetFault> faults = CheckKueuePodSets(worded, KueueGates{});
  if (!faults.empty()) {
    const std::string& name = pod_sets[faults.front().pod_set].name;
    ties.fault = fmt::format("{}{}", name.empty() ? "" : fmt::format("pod set {}: ", name),
                             Describe(faults.front().fault));
  }
  return ties;
}

}  // namespace gangplan
