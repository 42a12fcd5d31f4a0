#include "algorithms/strategy.h"

#include <algorithm>

namespace gangplan {
namespace {

bool AsksForSeveral(const std::optional<LevelRule>& rule) {
  return rule && (rule->kind != LevelRule::Kind::kPack || rule->partitions.value_or(1) > 1);
}

}  // namespace

std::string_view WordBeyondPack(const LevelRule& rule) {
  if (rule.kind == LevelRule::Kind::kSpread) return "spread";
  if (rule.kind == LevelRule::Kind::kAny) return "any";
  if (rule.partitions) return "partitions";
  if (rule.min) return "min";
  if (rule.max) return "max";
  if (rule.factor) return "factor";
  return "";
}

bool PlainPacks(const LevelRules& rules) {
  return std::all_of(rules.begin(), rules.end(), [](const std::optional<LevelRule>& rule) {
    return !rule || WordBeyondPack(*rule).empty();
  });
}

void BindUpwards(LevelRules& rules) {
  bool one = false;
  for (auto rule = rules.rbegin(); rule != rules.rend(); ++rule) {
    if (AsksForSeveral(*rule)) {
      one = false;
    } else if (one) {
      if (!*rule) *rule = LevelRule{};
      (*rule)->hard = true;
    } else {
      one = *rule && (*rule)->hard;
    }
  }
}

}  // namespace gangplan
