#include "extender/planner/plan_words.h"

#include "absl/strings/numbers.h"
#include "extender/cluster/annotations.h"
#include "topology/base/text.h"

namespace gangplan {

LabelSet PlanAnnotations(const PlannedPlace& place) {
  LabelSet words = {{std::string(kAssignedDomainAnnotation), place.domain},
                    {std::string(kAssignedRankAnnotation), fmt::format("{}", place.rank)}};
  if (place.rung > 0) words.emplace_back(kAssignedRungAnnotation, fmt::format("{}", place.rung));
  words.emplace_back(kPlanAnnotation, fmt::format("{}.{}", place.plan, place.plans));
  return words;
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

size_t PlannedRungOf(const PodFacts& pod, size_t count) {
  if (count == 0) return 0;  // of most pods nothing is to be read
  const std::string* text = FindLabel(pod.annotations, kAssignedRungAnnotation);
  size_t rung = 0;
  return text != nullptr && absl::SimpleAtoi(*text, &rung) && rung < count ? rung : 0;
}

std::string PlanNameOf(const PodFacts& pod) {
  const std::string* text = FindLabel(pod.annotations, kPlanAnnotation);
  return text == nullptr ? std::string() : text->substr(0, text->rfind('.'));
}

}  // namespace gangplan
