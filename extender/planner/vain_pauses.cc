#include "extender/planner/vain_pauses.h"

#include <algorithm>

#include "extender/planner/limits.h"
#include "extender/planner/solve_queue.h"
#include "extender/planner/yielding.h"

namespace gangplan {

// Of its names the one that has paused the longest.
VainPauses::Pause VainPauses::Of(const Group& group) const {
  Pause longest;
  if (pauses_.empty()) return longest;
  for (const std::string& name : Yielding::RestNamesOf(group.key(), group.makers())) {
    const auto found = pauses_.find(name);
    if (found == pauses_.end()) continue;
    longest.until = std::max(longest.until, found->second.until);
    longest.times = std::max(longest.times, found->second.times);
  }
  return longest;
}

void VainPauses::Note(absl::Time now, const Group& group) {
  Pause pause = Of(group);
  pause.until = now + SolveQueue::PauseAfter(kInVainPause, pause.times++, kMaxInVainPause);
  for (const std::string& name : Yielding::RestNamesOf(group.key(), group.makers())) {
    pauses_.insert_or_assign(name, pause);
    forget_.Set(name, pause.until + kMaxInVainPause);
  }
  while (pauses_.size() > most_) Tick(forget_.Next());
}

void VainPauses::End(const Group& group) {
  if (pauses_.empty()) return;
  for (const std::string& name : Yielding::RestNamesOf(group.key(), group.makers())) {
    pauses_.erase(name);
    forget_.Clear(name);
  }
}

absl::Time VainPauses::Until(const Group& group) const { return Of(group).until; }

void VainPauses::Tick(absl::Time now) {
  for (const std::string& name : forget_.TakeDue(now)) pauses_.erase(name);
}

}  // namespace gangplan
