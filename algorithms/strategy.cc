#include "algorithms/strategy.h"

#include <algorithm>

#include "algorithms/pack.h"

namespace gangplan {
namespace {

bool AsksForSeveral(const std::optional<LevelRule>& rule) {
  return rule && (rule->kind != LevelRule::Kind::kPack || rule->partitions.value_or(1) > 1);
}

}  // namespace

bool PackAnswers(const PlacementRequest& request) {
  const bool packs = std::all_of(
      request.rules.begin(), request.rules.end(),
      [](const std::optional<LevelRule>& rule) { return !rule || WordBeyondPack(*rule).empty(); });
  return packs && request.pod_sets.size() == 1;
}

void ChooseEngine(PlacementRequest& request) {
  if (PackAnswers(request)) {
    request.strategy = Strategy::kPack;
    return;
  }
  request.strategy = Strategy::kExact;
  bool one = false;
  for (auto rule = request.rules.rbegin(); rule != request.rules.rend(); ++rule) {
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
