#include "extender/planner/solve_queue.h"

#include <algorithm>

#include "extender/planner/limits.h"

namespace gangplan {

absl::Duration SolveQueue::PauseAfter(absl::Duration first, int32_t times) {
  return std::min(first * (int64_t{1} << std::clamp(times, 0, 16)), kMaxPause);
}

void SolveQueue::Mark(GroupId group, const SolveRank& rank) {
  const Place place{-int64_t{rank.priority}, -int64_t{rank.object_priority}, rank.created, group};
  if (Paused(group)) {
    deferred_.insert(group);
    return;
  }
  if (resume_ && place.SameRank(*resume_) && place <= *resume_) TurnBack();
  if (auto known = marked_.find(group); known != marked_.end()) order_.erase(known->second);
  marked_[group] = place;
  order_.insert(place);
}

// Room has come free that who was asked already may gain by, and he is older.
void SolveQueue::TurnBack() {
  if (turns_back_ >= kMostTurnsBack) return;
  ++turns_back_;
  StartOver();
}

void SolveQueue::StartOver() {
  last_.reset();
  resume_.reset();
}

void SolveQueue::EndCircle() {
  StartOver();
  turns_back_ = 0;
}

bool SolveQueue::Remove(GroupId group) {
  const auto known = marked_.find(group);
  if (known == marked_.end()) return false;
  order_.erase(known->second);
  marked_.erase(known);
  if (order_.empty()) EndCircle();
  return true;
}

void SolveQueue::Pause(GroupId group, absl::Time until) {
  pauses_.Set(group, until);
  if (Remove(group)) deferred_.insert(group);
}

void SolveQueue::Forget(GroupId group) {
  Remove(group);
  deferred_.erase(group);
  pauses_.Clear(group);
}

std::optional<GroupId> SolveQueue::Take() {
  if (order_.empty()) return std::nullopt;
  auto next = order_.begin();
  if (resume_ && next->SameRank(*resume_)) {
    auto after = order_.upper_bound(*resume_);
    const bool goes_on = after != order_.end() && after->SameRank(*resume_);
    if (goes_on) {
      next = after;
      resume_ = *after;
    } else {
      EndCircle();
    }
  }
  const GroupId group = next->group;
  last_ = *next;
  Remove(group);
  return group;
}

std::vector<GroupId> SolveQueue::EndPauses(absl::Time now) {
  std::vector<GroupId> marked;
  for (GroupId group : pauses_.TakeDue(now)) {
    if (deferred_.erase(group) > 0) marked.push_back(group);
  }
  return marked;
}

}  // namespace gangplan
