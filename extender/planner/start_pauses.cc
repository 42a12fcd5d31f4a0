#include "extender/planner/start_pauses.h"

#include <algorithm>

#include "extender/planner/limits.h"
#include "extender/planner/solve_queue.h"

namespace gangplan {

void StartPauses::NoteStart(absl::Time now, std::string_view uid) {
  Start& start = starts_[std::string(uid)];
  if (++start.times > 1)
    start.until = now + SolveQueue::PauseAfter(kFruitlessPause, start.times - 2);
  forget_.Set(std::string(uid), std::max(start.until, now) + kMaxPause);
  if (starts_.size() > most_) Tick(forget_.Next());
}

int32_t StartPauses::Starts(std::string_view uid) const {
  const auto it = starts_.find(uid);
  return it == starts_.end() ? 0 : it->second.times;
}

absl::Time StartPauses::Until(std::string_view uid) const {
  const auto it = starts_.find(uid);
  return it == starts_.end() ? absl::InfinitePast() : it->second.until;
}

void StartPauses::Tick(absl::Time now) {
  for (const std::string& uid : forget_.TakeDue(now)) starts_.erase(uid);
}

}  // namespace gangplan
