#include "extender/frontends/tas_rules.h"

#include <algorithm>

#include "algorithms/packs.h"
#include "algorithms/rule_text.h"
#include "fmt/format.h"

namespace gangplan {

std::string TasFault(std::span<const PodSetSpec> pod_sets, const Topology& topology) {
  constexpr std::string_view kEngine =
      "the tas engine, which engines.strategy sets for every group, knows no";
  if (pod_sets.size() > 1) {
    return fmt::format(
        "{} pod sets: {} rules of several together; expected Kueue's topology words on each, or "
        "engines.strategy: auto",
        pod_sets.size(), kEngine);
  }
  const LevelRules& rules = pod_sets.front().rules;
  for (size_t level = 0; level < rules.size(); ++level) {
    const std::string_view word = rules[level] ? WordBeyondPack(*rules[level]) : "";
    if (word.empty()) continue;
    return fmt::format("{}: {} {}; expected pack or pack! alone, or engines.strategy: auto",
                       RuleText(topology.levels[level].name, *rules[level]), kEngine, word);
  }
  return {};
}

void SayTasPacks(LevelRules& rules) {
  const bool hard = std::any_of(rules.begin(), rules.end(),
                                [](const auto& rule) { return rule && rule->hard; });
  if (!hard) rules.back() = LevelRule{};
}

}  // namespace gangplan
