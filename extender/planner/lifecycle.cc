#include "extender/planner/lifecycle.h"

namespace gangplan {

bool Lifecycle::Holds(const Group& group, GroupGuard guard) const {
  switch (guard) {
    case GroupGuard::kAlways:
      return true;
    case GroupGuard::kComplete:
      return group.Complete();
    case GroupGuard::kIncomplete:
      return !group.Complete();
    case GroupGuard::kStarted:
      return group.Started();
    case GroupGuard::kNotStarted:
      return !group.Started();
    case GroupGuard::kAllBound:
      return group.AllBound();
    case GroupGuard::kAllCalled:
      return group.AllCalled();
    case GroupGuard::kAllFinished:
      return group.AllFinished();
    case GroupGuard::kAllAsked:
      return group.AllAsked() && (group.sizing().OneByOne(starts_incomplete_) || group.Complete());
    case GroupGuard::kNoneLive:
      return !group.AnyLive() && group.finished() > 0;
    case GroupGuard::kProgress:
      return group.Progressed();
    case GroupGuard::kWants:
      return group.WantsSlots();
    case GroupGuard::kFruitless:
      return !group.Started() && group.fruitless() > 1;
    case GroupGuard::kUnplanned:
      return !group.planned();
  }
  return false;
}

void Lifecycle::RunOne(absl::Time now, Group& group, GroupEvent event, LifeActions& actions) {
  for (const LifeRow& row : LifeTable()) {
    if (row.state != group.state() || row.event != event || !Holds(group, row.guard)) continue;
    group.SetState(row.next, now);
    const bool waits = row.next == GroupState::kBlocked;
    history_.Note(group.name(), {now, row.next, group.bound(), group.size(),
                                 waits ? group.verdict().reason : std::string()});
    actions.Carry(now, group, row.action);
    return;
  }
}

void Lifecycle::Run(absl::Time now, LifeActions& actions) {
  while (!events_.empty()) {
    const auto [id, event] = events_.front();
    events_.pop_front();
    Group* group = groups_.Find(id);
    if (group == nullptr) continue;
    if (group->size() > 0 && group->stale().empty()) RunOne(now, *group, event, actions);
    // After the action, which may give back the last room of it.
    if (const Group* after = groups_.Find(id)) groups_.NoteEnded(*after);
  }
}

}  // namespace gangplan
