#include "extender/planner/plan_words.h"

#include "absl/strings/numbers.h"
#include "extender/cluster/annotations.h"
#include "topology/base/text.h"

namespace gangplan {

LabelSet PlanAnnotations(const PlannedPlace& place) {
  return {{std::string(kAssignedDomainAnnotation), place.domain},
          {std::string(kAssignedRankAnnotation), fmt::format("{}", place.rank)},
          {std::string(kPlanAnnotation), fmt::format("{}.{}", place.plan, place.plans)}};
}

bool BoundByPlan(const PodFacts& pod) {
  return FindLabel(pod.annotations, kPlanAnnotation) != nullptr;
}

std::optional<int32_t> PlannedRankOf(const PodFacts& pod, int32_t count) {
  const std::string* text = FindLabel(pod.annotations, kAssignedRankAnnotation);
  int32_t rank = -1;
  if (text == nullptr || !absl::SimpleAtoi(*text, &rank)) return std::nullopt;
  return rank >= 0 && rank < count ? std::optional(rank) : std::nullopt;
}

std::string PlanNameOf(const PodFacts& pod) {
  const std::string* text = FindLabel(pod.annotations, kPlanAnnotation);
  return text == nullptr ? std::string() : text->substr(0, text->rfind('.'));
}

}  // namespace gangplan
