#include "extender/planner/crowd.h"

#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"

namespace gangplan {

std::optional<EventNote> Crowd::Look(absl::Time now, int32_t rejected) {
  if (most_ == 0 || rejected < most_ || now < tell_from_) return std::nullopt;
  tell_from_ = now + kCrowdToldAgain;
  std::string note = fmt::format(
      "{} pods of gangs without room wait by rejection, as many as may (waiting.rejectMax): every "
      "change in the cluster makes the scheduler try all of them again. Let their Jobs wait "
      "suspended (groups.suspendedJobs, suspend-policy.yaml of the examples), or their pods behind "
      "a gate (groups.gates, gate-policy.yaml)",
      rejected);
  return EventNote{"", {}, true, kManyWaitByRejection, kPlanAction, std::move(note)};
}

}  // namespace gangplan
