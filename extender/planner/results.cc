#include "extender/planner/results.h"

#include <algorithm>

#include "extender/planner/limits.h"

namespace gangplan {

GroupPhase PhaseOf(GroupState state, bool complete) {
  switch (state) {
    case GroupState::kNew:
    case GroupState::kGathering:
    case GroupState::kReleased:
      return GroupPhase::kWaiting;
    case GroupState::kBlocked:
      return complete ? GroupPhase::kNotPlaced : GroupPhase::kWaiting;
    case GroupState::kPlanned:
      return GroupPhase::kPlanned;
    case GroupState::kBinding:
      return GroupPhase::kBinding;
    case GroupState::kRunning:
    case GroupState::kRepairing:
    case GroupState::kDone:
      return GroupPhase::kStarted;
  }
  return GroupPhase::kWaiting;
}

absl::Duration Results::DelayAfter(int tries) {
  return std::min(kResultsAfter * (int64_t{1} << std::min(tries, 16)), kMaxResultsAfter);
}

void Results::Queue(Entries::iterator at) {
  const Entry& entry = at->second;
  if (entry.due != absl::InfiniteFuture() && entry.open == 0) due_.emplace(entry.due, at->first);
}

void Results::Unqueue(Entries::iterator at) { due_.erase({at->second.due, at->first}); }

void Results::Hasten(Entries::iterator at, absl::Time when) {
  if (when >= at->second.due) return;
  Unqueue(at);
  at->second.due = when;
  Queue(at);
}

void Results::Look(absl::Time now, int64_t group, const ResultsMark& mark) {
  const auto at = groups_.try_emplace(group).first;
  if (at->second.mark == mark) return;
  at->second.mark = mark;
  at->second.tries = 0;
  Hasten(at, now + kResultsAfter);
}

void Results::ObjectChanged(absl::Time now, int64_t group) {
  const auto at = groups_.try_emplace(group).first;
  Hasten(at, now + DelayAfter(at->second.tries));
}

void Results::Forget(int64_t group) {
  const auto at = groups_.find(group);
  if (at == groups_.end()) return;
  Unqueue(at);
  groups_.erase(at);
}

std::vector<int64_t> Results::TakeDue(absl::Time now) {
  std::vector<int64_t> taken;
  while (!due_.empty() && due_.begin()->first <= now) {
    const int64_t group = due_.begin()->second;
    due_.erase(due_.begin());
    groups_.at(group).due = absl::InfiniteFuture();
    taken.push_back(group);
  }
  std::sort(taken.begin(), taken.end());
  return taken;
}

void Results::Tell(int64_t group, const GroupStanding& standing, const GroupObjects& objects,
                   Effects& effects) {
  const auto at = groups_.find(group);
  if (at == groups_.end()) return;
  ResultWrites writes = objects.FindResults(standing);
  Unqueue(at);
  Entry& entry = at->second;
  for (EventNote& note : writes.notes) effects.push_back(std::move(note));
  if (writes.object) {
    ++entry.open;
    effects.push_back(WriteResults{group, *std::move(writes.object)});
  }
  for (LabelsWrite& write : writes.members) {
    ++entry.open;
    effects.push_back(WriteMemberLabels{group, std::move(write)});
  }
  entry.tries += static_cast<int>(entry.open > 0);
  Queue(at);
}

void Results::OnWritten(absl::Time now, int64_t group, bool again) {
  const auto at = groups_.find(group);
  if (at == groups_.end()) return;
  Unqueue(at);
  Entry& entry = at->second;
  --entry.open;
  if (again) entry.due = std::min(entry.due, now + DelayAfter(entry.tries));
  Queue(at);
}

}  // namespace gangplan
