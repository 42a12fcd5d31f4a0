// What becomes of the groups of owners that wait or were started, and what is due with time.
#include <algorithm>
#include <utility>

#include "extender/planner/limits.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/suspended_owners.h"

namespace gangplan {

// ---- what becomes of the groups

void SuspendedOwners::Follow(absl::Time now) {
  const StartNews news = plans_.TakeStartNews();
  for (const auto& [id, start] : news.erased) Erased(now, id, start);
  for (GroupId id : news.given_back) {
    if (const Entry* entry = EntryOf(id)) NoteBarren(*entry);
    Withdraw(now, id);
  }
  for (GroupId id : news.blocked) Blocked(now, id);
  for (GroupId id : std::exchange(left_, {})) BlockedBefore(now, id);
  for (GroupId id : news.placed) {
    const auto it = by_group_.find(id);
    if (it != by_group_.end()) Start(now, entries_.at(it->second));
  }
}

// Its pods have gone; or it was taken from it, to be read anew. Where it was started and none of
// its pods has come they would find no room, so it is planned anew.
void SuspendedOwners::Erased(absl::Time now, GroupId id, GroupStart start) {
  not_withdrawn_.erase(id);
  const auto it = by_group_.find(id);
  if (it == by_group_.end()) return;
  const std::string uid = it->second;
  by_group_.erase(it);
  Entry& entry = entries_.at(uid);
  entry.group = 0;
  if (entry.state == State::kWaits) return Pend(uid, entry);
  if (start != GroupStart::kComing) {
    if (entry.state == State::kStarted && !entry.marked) Drop(uid);
    return;
  }
  entry.why = "what it was planned by is another now, and none of its pods had come";
  entry.not_before = now;
  entry.withdrawn = entry.state == State::kStarting;
  if (entry.state == State::kStarted) Suspend(entry);
}

// Also of an owner that was started before a restart, or suspended and resumed by somebody else,
// with our nodes in it, and of a JobSet that has started its pods anew. Null: it is not ours.
SuspendedOwners::Entry* SuspendedOwners::EntryOf(GroupId id) {
  if (const auto it = by_group_.find(id); it != by_group_.end()) return &entries_.at(it->second);
  const Group* group = books_.groups.Find(id);
  if (group == nullptr || group->StaysEmpty() || !group->owner()) return nullptr;
  const std::string& uid = group->owner()->uid;
  const std::string key = OwnerKeyOf(*group);
  const OwnerFacts* owner = books_.owners.Facts(key);
  if (owner == nullptr || books_.owners.IsGone(key)) return nullptr;
  const auto [known, added] = entries_.try_emplace(uid);
  Entry& entry = known->second;
  if (!added && (entry.marked || entry.state != State::kStarted)) return nullptr;
  LeaveGroup(entry);
  entry.job.owner = *owner;
  books_.owners.Foretell(entry.job.owner);  // known also when its pods have gone
  entry.marked = false;
  entry.state = State::kStarted;
  entry.group = id;
  by_group_[id] = uid;
  return &entry;
}

// A JobSet may start all its pods anew before one of them is bound: what was held for those that
// went keeps the next ones off no more. True: there was such room.
bool SuspendedOwners::LeaveRunBefore(const Group& group) {
  const auto it = group.owner() ? entries_.find(group.owner()->uid) : entries_.end();
  if (it == entries_.end() || it->second.group == group.id()) return false;
  Entry& entry = it->second;
  const Group* before = books_.groups.Find(entry.group);
  const bool left = before != nullptr && entry.job.owner.ns == group.key().ns &&
                    entry.state == State::kStarted && before->members().empty() &&
                    before->holds() > 0;
  if (left) LeaveGroup(entry);
  return left;
}

// What was held for it is given up, and not by us: it was started, or could not be in all its time,
// since what makes its pods was not there, or has not stopped its last run.
bool SuspendedOwners::NoteBarren(const Entry& entry) {
  const Group* group = books_.groups.Find(entry.group);
  const bool unready =
      entry.state == State::kWaits && !entry.job.MayStart() && books_.outbox.active();
  return group != nullptr && (entry.state == State::kStarted || unready) &&
         books_.vacant.NoteBarren(*group, books_.ledger);
}

// Whoever made it wants it no more, or not yet. True: its namespace is held to its share for that.
bool SuspendedOwners::NoteLeft(const Entry& entry) {
  const Group* group = books_.groups.Find(entry.group);
  return group != nullptr && group->holds() > 0 && NoteBarren(entry);
}

// What it held came to nothing. Of one that runs that is for the instance to say which acts; where
// others of its owner's pods run by now, it is those that count.
void SuspendedOwners::Withdraw(absl::Time now, GroupId id) {
  Entry* found = EntryOf(id);
  if (found == nullptr) return;
  Entry& entry = *found;
  if (entry.state != State::kWaits && !books_.outbox.active()) {
    not_withdrawn_.insert(id);
    return;
  }
  if (entry.state == State::kStarted && now < entry.suspend_from) return;
  const std::string uid = entry.job.owner.ref.uid;
  Group& group = *books_.groups.Find(id);
  if (entry.state == State::kStarted && group.members().empty() && RunsStill(entry))
    return Drop(uid);
  if (group.whole()) entry.fruitless = 0;
  entry.lost_since.reset();
  entry.was_unready = entry.state == State::kWaits && !entry.job.MayStart();
  entry.not_before = now;
  if (books_.outbox.active()) {  // else nobody could start it
    if (entry.refused == 0) ++entry.fruitless;
    entry.not_before += SolveQueue::PauseAfter(kFruitlessPause, entry.fruitless - 1);
  }
  entry.why = group.verdict().reason;
  // It tells why until it is planned again.
  group.SetStart(entry.state == State::kWaits ? GroupStart::kSuspended : GroupStart::kEnding);
  books_.queue.Pause(id, entry.not_before);
  entry.withdrawn = entry.state == State::kStarting;  // not before it is known to run
  if (entry.state == State::kStarted) Suspend(entry);
  if (entry.state == State::kWaits) due_.Set(uid, entry.not_before);
}

// It runs, or ran, and lacks what can never go where its pods may.
bool SuspendedOwners::StaysLost(const Group& group) const {
  return group.Started() && !group.AllBound() && group.verdict().outcome == Outcome::kImpossible;
}

// Where it may go there is no room any more: one that was started is planned anew elsewhere. One
// that runs is not stopped for what may pass.
void SuspendedOwners::Blocked(absl::Time now, GroupId id) {
  const Group* group = books_.groups.Find(id);
  if (group == nullptr || (!group->Started() && group->holds() > 0)) return;
  if (LeaveRunBefore(*group)) return plans_.AskAnew(id);
  Entry* entry = EntryOf(id);
  if (entry == nullptr) return;
  if (entry->job.check && entry->state == State::kWaits)
    check_due_.SetEarlier(entry->job.owner.ref.uid, now + kFirstSaying);
  const bool started = entry->state == State::kStarted || entry->state == State::kStarting;
  if (started && StaysLost(*group)) {
    // Where it may not be suspended that is asked for again as the pause has it.
    if (entry->refused > 0 || entry->lost_since == group->times_whole()) return;
    entry->lost_since = group->times_whole();
    return due_.Set(entry->job.owner.ref.uid, now + kLostFor);
  }
  if (started) Withdraw(now, id);
}

// Its room came to nothing while its owner was thought to wait, or to be on its way.
void SuspendedOwners::BlockedBefore(absl::Time now, GroupId id) {
  const Group* group = books_.groups.Find(id);
  const bool ours = group != nullptr && group->start() != GroupStart::kByItself;
  if (ours && CameToNothing(*group)) Blocked(now, id);
}

// It has no room, or lacks what can never go where it may.
bool SuspendedOwners::CameToNothing(const Group& group) {
  const bool rests =
      group.state() == GroupState::kBlocked || group.state() == GroupState::kReleased;
  return rests || (group.Started() && group.verdict().outcome == Outcome::kImpossible);
}

// ---- time

void SuspendedOwners::Look(absl::Time now, const std::string& uid) {
  const auto it = entries_.find(uid);
  if (it == entries_.end()) return;
  Entry& entry = it->second;
  if (entry.state == State::kWaits) {
    Renew(now, uid, entry, {});
  } else if (entry.in_doubt && entry.withdrawn) {
    Suspend(entry);  // whether it was started or not
  } else if (entry.in_doubt) {
    Write(entry, JobWrite(entry.write), entry.state);
    entry.in_doubt = true;
  } else if (entry.state == State::kSuspending && !entry.marked) {
    Drop(uid);
  } else if (entry.state == State::kStarted) {
    LookAtStarted(now, uid, entry);
  }
}

// To be suspended once more, where that was refused, or at last, where what it has lost does not
// come back. Where no pod of it has come, its owner may be gone: that is read, with a pause that
// doubles.
void SuspendedOwners::LookAtStarted(absl::Time now, const std::string& uid, Entry& entry) {
  const Group* group = books_.groups.Find(entry.group);
  const std::optional<int32_t> since = std::exchange(entry.lost_since, {});
  if (group == nullptr) return;
  const bool room = group->Started() || group->holds() > 0;
  if (entry.refused > 0 && (!room || CameToNothing(*group))) return Withdraw(now, group->id());
  entry.refused = 0;  // there was room for it meanwhile
  if (since) {
    if (group->times_whole() == since && StaysLost(*group)) Withdraw(now, group->id());
  } else if (group->start() == GroupStart::kComing && group->members().empty()) {
    books_.owners.ReadAgain(OwnerKey(entry.job.owner.ns, uid), now);
    entry.read_after = std::clamp(2 * entry.read_after, kOwnerReadAfter, kOwnerRecheck);
    due_.Set(uid, now + entry.read_after);
  }
}

void SuspendedOwners::Tick(absl::Time now) {
  starts_.Tick(now);
  for (const std::string& uid : due_.TakeDue(now, kForetoldAtOnce)) Look(now, uid);
  for (const std::string& uid : check_due_.TakeDue(now, kForetoldAtOnce)) LookAtCheck(now, uid);
  RenewSome(now);
  Unpark();
  if (plans_.planning()) GiveGroups(now, kForetoldAtOnce);
  const bool active = plans_.planning() && books_.outbox.active();
  if (!std::exchange(was_active_, active) && active) BeginToWrite(now);
}

// What an instance that does not act has left.
void SuspendedOwners::BeginToWrite(absl::Time now) {
  for (auto& [uid, entry] : entries_) {
    Start(now, entry);
    if (entry.state == State::kWaits && entry.group == 0) due_.Set(uid, now);
  }
  for (GroupId id : std::exchange(not_withdrawn_, {})) {
    const Group* group = books_.groups.Find(id);
    if (group != nullptr && CameToNothing(*group)) Withdraw(now, id);
  }
}

}  // namespace gangplan
