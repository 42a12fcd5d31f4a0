#include "algorithms/rule_text.h"

#include "topology/base/text.h"

namespace gangplan {

std::string RuleText(std::string_view level, const LevelRule& rule) {
  constexpr std::string_view kKinds[] = {"pack", "spread", "any"};
  std::string text =
      fmt::format("{}={}{}", level, kKinds[static_cast<int>(rule.kind)], rule.hard ? "!" : "");
  if (rule.partitions) text += fmt::format(" partitions={}", *rule.partitions);
  if (rule.min) text += fmt::format(" min={}", *rule.min);
  if (rule.max) text += fmt::format(" max={}", *rule.max);
  if (rule.factor) text += fmt::format(" {}={}", rule.ranked ? "ranks" : "factor", *rule.factor);
  return text;
}

}  // namespace gangplan
