#include "algorithms/packs.h"

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
  if (rule.factor) return rule.ranked ? "units of ranks" : "factor";
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

int HardLevel(const PlacementRequest& request) {
  for (size_t level = request.rules.size(); level-- > 0;) {
    if (request.rules[level] && request.rules[level]->hard) return static_cast<int>(level);
  }
  return -1;
}

int HardFromTop(const PlacementRequest& request) {
  const auto soft = std::find_if(request.rules.begin(), request.rules.end(), [](const auto& rule) {
    return !rule || !rule->hard || rule->kind != LevelRule::Kind::kPack;
  });
  return static_cast<int>(soft - request.rules.begin()) - 1;
}

bool AsksForOneDomain(const PlacementRequest& request) {
  return request.pod_sets.size() == 1 && request.pod_sets.front().rules.empty() &&
         PlainPacks(request.rules) && HardLevel(request) == HardFromTop(request);
}

int32_t MembersToPlace(const PlacementRequest& request) {
  return request.pod_sets.front().count - static_cast<int32_t>(request.fixed.size());
}

int32_t BoundDomain(const Tree& tree, const PlacementRequest& request) {
  const int hard = HardLevel(request);
  if (hard < 0 || request.fixed.empty()) return -1;
  return tree.Ancestor(request.fixed.front().leaf, hard);
}

}  // namespace gangplan
