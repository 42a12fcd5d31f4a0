#include "extender/planner/solve_queue.h"

#include <algorithm>
#include <limits>

#include "extender/planner/limits.h"

namespace gangplan {

absl::Duration SolveQueue::PauseAfter(absl::Duration first, int32_t times) {
  return std::min(first * (int64_t{1} << std::clamp(times, 0, 16)), kMaxPause);
}

void SolveQueue::Mark(GroupId group, const SolveRank& rank) {
  const Place place{{-int64_t{rank.priority}, -int64_t{rank.object_priority}}, rank.created, group};
  if (Paused(group)) {
    deferred_.insert(group);
    return;
  }
  Remove(group);
  TurnBackTo(place);
  marked_[group] = place;
  order_.insert(place);
}

// Room has come free that who was asked already may gain by, and he is older.
void SolveQueue::TurnBackTo(const Place& place) {
  const auto circle = circles_.find(place.rank);
  if (circle == circles_.end() || circle->second.turns_back >= kMostTurnsBack) return;
  std::optional<Place>& resume = circle->second.resume;
  const bool taken = last_ && last_->rank == place.rank;
  const Place* asked = resume ? &*resume : taken ? &*last_ : nullptr;
  if (asked == nullptr || *asked < place) return;
  ++circle->second.turns_back;
  resume.reset();
  if (taken) last_.reset();
}

void SolveQueue::NoteFound(GroupId group) {
  if (last_ && last_->group == group) circles_.at(last_->rank).turns_back = 0;
}

void SolveQueue::Cut() {
  if (last_) circles_.at(last_->rank).resume = last_;
}

bool SolveQueue::AnyOf(const Rank& rank) const {
  const auto first = order_.lower_bound(Place{rank, std::numeric_limits<int64_t>::min(), 0});
  return first != order_.end() && first->rank == rank;
}

bool SolveQueue::Remove(GroupId group) {
  const auto known = marked_.find(group);
  if (known == marked_.end()) return false;
  const Rank rank = known->second.rank;
  order_.erase(known->second);
  marked_.erase(known);
  if (AnyOf(rank)) return true;
  circles_.erase(rank);
  if (last_ && last_->rank == rank) last_.reset();
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
  Circle& circle = circles_[next->rank];
  if (circle.resume) {
    const auto after = order_.upper_bound(*circle.resume);
    if (after != order_.end() && after->rank == next->rank) {
      next = after;
      circle.resume = *after;
    } else {
      circle = {};
    }
  }
  last_ = *next;
  const GroupId group = next->group;
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
