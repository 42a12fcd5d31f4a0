#include "extender/planner/lifecycle.h"

#include <functional>
#include <string>

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
    const GroupWait before = group.wait();
    group.SetState(row.next, now);
    const bool waits = row.next == GroupState::kBlocked;
    history_.Note(group.name(), {now, row.next, group.bound(), group.size(),
                                 waits ? group.verdict().reason : std::string()});
    NoteChange(now, group, before);
    actions.Carry(now, group, row.action);
    return;
  }
}

// One that waits, and was only tried in between, has not changed.
void Lifecycle::NoteChange(absl::Time now, const Group& group, const GroupWait& before) {
  const GroupState state = group.state();
  const auto [entry, first] = told_.try_emplace(group.id());
  const bool tried = state == GroupState::kNew && entry->second.state == GroupState::kBlocked;
  if (tried) return;
  const std::string why = state == GroupState::kBlocked ? group.verdict().reason : std::string();
  const Told told{state, std::hash<std::string>()(why)};
  const bool begins = first && state == GroupState::kNew;
  const Told last = std::exchange(entry->second, told);
  if (begins || (!first && last == told)) return;
  GangChange change{group.name(),  last.state,   state, false, why,
                    group.bound(), group.size(), {},    {},    {}};
  const GroupWait& wait = group.wait();
  if (before.from && wait.planned && !before.planned) change.waited = now - *before.from;
  const bool whole = state == GroupState::kRunning;
  if (whole && before.from && before.planned) change.took = now - *before.from;
  changes_.emplace_back(group.id(), std::move(change));
}

void Lifecycle::Forget(GroupId id, bool waits) {
  touched_.erase(id);
  const Group* group = groups_.Find(id);
  const auto told = told_.find(id);
  if (told == told_.end()) return;
  const bool stale = !group->stale().empty();
  if (stale && !group->members().empty())
    return;  // these make another one, or are on their way out
  const Group* again = stale ? groups_.FindByKey(group->key()) : nullptr;
  const bool goes_on = stale && (waits || (again != nullptr && again != group));
  if (!goes_on) {
    GangChange change{
        group->name(), told->second.state, group->state(), true, {}, 0, group->size(), {}, {}, {}};
    const GroupWait& wait = group->wait();
    if (wait.from && !wait.planned && !group->Started()) change.waited = now_ - *wait.from;
    changes_.emplace_back(id, std::move(change));
  }
  told_.erase(told);
}

void Lifecycle::Run(absl::Time now, LifeActions& actions) {
  now_ = now;
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
