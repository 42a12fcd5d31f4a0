#include "extender/frontends/sakkara/group_rules.h"

#include <algorithm>
#include <limits>

#include "algorithms/rule_text.h"

namespace gangplan {
namespace {

int32_t Clamped(int64_t number) {
  return static_cast<int32_t>(std::min<int64_t>(number, std::numeric_limits<int32_t>::max()));
}

LevelRule RuleOf(const SakkaraRule& written) {
  LevelRule rule;
  rule.kind = written.spread ? LevelRule::Kind::kSpread : LevelRule::Kind::kPack;
  rule.hard = written.hard;
  if (written.range) {
    rule.min = Clamped(written.range->min);
    rule.max = Clamped(written.range->max);
  }
  if (written.partitions) rule.partitions = Clamped(*written.partitions);
  if (written.factor_used()) rule.factor = Clamped(written.factor);
  return rule;
}

}  // namespace

LevelRules SakkaraLevelRules(const SakkaraRules& rules, const Topology& topology) {
  LevelRules found;
  for (const Level& level : topology.levels) {
    const LevelRule rule = RuleOf(SakkaraRuleOf(rules, level.name));
    found.push_back(rule == LevelRule{} ? std::nullopt : std::optional(rule));
  }
  return found;
}

std::string SakkaraPlaceText(const LevelRules& rules, const Topology& topology) {
  std::string text;
  for (size_t level = 0; level < rules.size(); ++level) {
    if (!rules[level]) continue;
    text += text.empty() ? "" : "; ";
    text += RuleText(topology.levels[level].name, *rules[level]);
  }
  return text;
}

}  // namespace gangplan
