#include "extender/planner/solve_queue.h"

#include <algorithm>
#include <limits>

#include "extender/planner/limits.h"

namespace gangplan {

absl::Duration SolveQueue::PauseAfter(absl::Duration first, int32_t times, absl::Duration most) {
  return std::min(first * (int64_t{1} << std::clamp(times, 0, 16)), most);
}

void SolveQueue::Mark(GroupId group, const SolveRank& rank) {
  const Place place = PlaceOf(group, rank);
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
  const auto found = circles_.find(place.rank);
  if (found == circles_.end()) return;
  Circle& circle = found->second;
  const bool older = circle.resume && place <= *circle.resume;
  if (!older || circle.older == 0 || circle.turns_back >= kMostTurnsBack) return;
  ++circle.turns_back;
  circle.older = 0;
}

void SolveQueue::NoteFound(GroupId group) {
  if (!last_ || last_->group != group) return;
  Circle& circle = circles_.at(last_->rank);
  if (circle.older > 0) --circle.older;
}

void SolveQueue::Cut() {
  if (!last_) return;
  Circle& circle = circles_.at(last_->rank);
  if (!circle.resume) circle.resume = last_;
}

bool SolveQueue::AnyOf(const Rank& rank) const {
  const auto first = order_.lower_bound(Place{rank, std::numeric_limits<int64_t>::min(), 0, 0});
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

// Of the greatest rank. REQUIRES: somebody waits.
std::set<SolveQueue::Place>::iterator SolveQueue::NextOf(Circle& circle) {
  const auto head = order_.begin();
  if (!circle.resume) return head;
  const auto after = order_.upper_bound(*circle.resume);
  if (after == order_.end() || after->rank != head->rank) {
    circle = {};
    return head;
  }
  if (head != after && circle.older < most_older_) {
    ++circle.older;
    return head;
  }
  circle = {*after, 0, 0};
  return after;
}

std::optional<GroupId> SolveQueue::Take() {
  if (order_.empty()) return std::nullopt;
  last_ = *NextOf(circles_[order_.begin()->rank]);
  const GroupId group = last_->group;
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
