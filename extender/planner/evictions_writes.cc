// What comes of the writes of an eviction.
#include <algorithm>

#include "extender/cluster/annotations.h"
#include "extender/cluster/kept_by_budget.h"
#include "extender/planner/event_reasons.h"
#include "extender/planner/evictions.h"
#include "extender/planner/limits.h"
#include "extender/planner/write_errors.h"
#include "fmt/format.h"
#include "topology/base/text.h"
#include "topology/base/utf8.h"

namespace gangplan {
namespace {

constexpr char kPreemptAction[] = "Preempt";

// It is done, or there is nobody to do it to any more.
bool IsOver(const absl::Status& status) {
  return status.ok() || absl::IsNotFound(status) || absl::IsAborted(status);
}

}  // namespace

Evictions::Eviction* Evictions::Answered(std::string_view uid, int64_t attempt, GroupId* victim) {
  const auto write = writes_.find(uid);
  if (write == writes_.end() || write->second.attempt != attempt) return nullptr;
  *victim = write->second.victim;
  writes_.erase(write);
  --sent_;
  Eviction& eviction = evictions_.at(*victim);
  --eviction.sent;
  return &eviction;
}

void Evictions::OnJobWritten(absl::Time now, std::string_view uid, int64_t attempt,
                             const absl::Status& status) {
  GroupId victim = 0;
  Eviction* eviction = Answered(uid, attempt, &victim);
  if (eviction == nullptr || eviction->state != State::kSuspending) return;
  eviction->doubted = IsInDoubt(status);
  if (eviction->unwanted && !IsOver(status))  // one that lands late waits for us, as any other
    return LetGo(now, victim, *eviction, eviction->doubted);
  if (WasRefused(status)) return ByPods(now, victim, *eviction);
  if (!IsOver(status)) return Retry(now, victim, uid);
  eviction->ComesOn(now);
  if (status.ok()) Tell(victim, *eviction);  // else it was somebody else
  ToldAll(now, victim, *eviction);
  eviction->look = now + kSuspendedWithin;
}

void Evictions::OnPodWritten(absl::Time now, std::string_view uid, int64_t attempt,
                             const absl::Status& status) {
  GroupId victim = 0;
  Eviction* eviction = Answered(uid, attempt, &victim);
  if (eviction == nullptr) return OwedWritten(now, uid, attempt, status);
  switch (eviction->state) {
    case State::kChecking:
      return Tried(now, victim, *eviction, uid, status);
    case State::kMarking:
      return Marked(now, victim, *eviction, status);
    case State::kUnmarking:
      return Unmarked(now, victim, *eviction, status);
    case State::kFirst:
    case State::kEvicting:
      return Evicted(now, victim, *eviction, uid, status);
    case State::kMayGo:
    case State::kSuspending:
    case State::kEnding:
      return;
  }
}

// It is not known whether it was done, or it may be done later; doing it again is the same.
void Evictions::Retry(absl::Time now, GroupId victim, std::string_view uid) {
  const std::string key(uid);
  evictions_.at(victim).doubted = true;
  writes_[key] = {victim, 0};
  due_.Set(key, now + kEvictionRetry);
}

void Evictions::Tried(absl::Time now, GroupId victim, Eviction& eviction, std::string_view uid,
                      const absl::Status& status) {
  if (WasRefused(status)) {
    SparePods(now, victim, uid, status);
    eviction.against = Message(status);
    return LetGo(now, victim, eviction, true);
  }
  if (!IsOver(status)) return Retry(now, victim, uid);
  const KnownPod* record = IsSingles(victim) ? books_.pods.Find(uid) : nullptr;
  if (record != nullptr) eviction.priorities.insert_or_assign(std::string(uid), record->priority);
  eviction.ComesOn(now);
  eviction.told.emplace(uid);
  if (eviction.told.size() == eviction.pods.size()) return MayGo(now, victim, eviction);
  SendSome(now, victim, eviction);
}

// Of no group: the one that was refused, or those that a budget keeps, also beyond those that were
// asked about, so that not each of them is found out by a question of its own.
void Evictions::SparePods(absl::Time now, GroupId victim, std::string_view uid,
                          const absl::Status& status) {
  if (!IsSingles(victim)) return;
  const std::vector<std::string> kept = KeptByBudget(status);
  for (const std::string& pod : kept) books_.yielding.SparePod(pod, now + kSparedFor);
  if (!kept.empty()) return;
  // Whatever is against it may be against each pod of its namespace that was asked about.
  books_.yielding.SparePod(uid, now + kSparedFor);
  const Eviction& eviction = evictions_.at(victim);
  for (const PodRef& pod : eviction.pods) {
    if (!eviction.told.contains(pod.uid)) books_.yielding.SparePod(pod.uid, now + kSparedFor);
  }
}

void Evictions::Marked(absl::Time now, GroupId victim, Eviction& eviction,
                       const absl::Status& status) {
  const std::string uid = eviction.pods.back().uid;
  eviction.doubted = IsInDoubt(status);
  if (eviction.doubted) eviction.mark_lands = now + kLandsWithin;
  if (WasRefused(status)) {
    eviction.against = Message(status);
    return LetGo(now, victim, eviction, true);
  }
  eviction.marks = status.ok();
  if (absl::IsNotFound(status) || absl::IsAborted(status)) {  // that one is gone
    eviction.mark_lands = absl::InfinitePast();
    eviction.pods.pop_back();
  }
  if (eviction.unwanted) return LetGo(now, victim, eviction, eviction.doubted);
  if (eviction.doubted) return Retry(now, victim, uid);
  eviction.ComesOn(now);
  if (eviction.pods.empty()) return ToldAll(now, victim, eviction);
  if (!eviction.marks) return ByPods(now, victim, eviction);
  eviction.state = State::kFirst;
  SendSome(now, victim, eviction);
}

// A mark that may land after that is taken back once more: who finds it later would go on with what
// is over.
void Evictions::Unmarked(absl::Time now, GroupId victim, Eviction& eviction,
                         const absl::Status& status) {
  const std::string uid = eviction.pods.back().uid;
  if (WasRefused(status)) return OweUnmark(now, victim, eviction, status);
  if (IsInDoubt(status)) {
    books_.yielding.Spare(victim, now + kSparedFor);
    return Retry(now, victim, uid);
  }
  if (!status.ok() || now >= eviction.mark_lands) return Drop(victim);
  writes_[uid] = {victim, 0};
  due_.Set(uid, eviction.mark_lands);
}

// The eviction is over all the same: the gang is as any other.
void Evictions::OweUnmark(absl::Time now, GroupId victim, Eviction& eviction,
                          const absl::Status& status) {
  books_.yielding.Spare(victim, now + kSparedFor);
  const PodRef pod = eviction.pods.back();
  Owed& owed = owed_[pod.uid];
  if (owed.attempt != 0) --sent_;
  owed = {pod, 0};
  owed_due_.Set(pod.uid, std::max(now + kSparedFor, eviction.mark_lands));
  EventNote note;
  note.ns = pod.ns;
  note.regarding = AsObject(pod);
  note.warning = true;
  note.reason = kMarkStays;
  note.action = kPreemptAction;
  note.note = fmt::format(
      "pod {}/{} is not evicted any more, but its mark {} may not be taken back, and a "
      "Gangplan that starts anew would go on with that: {}; tried again every {}",
      pod.ns, pod.name, kEvictedForAnnotation, CutUtf8(Message(status), kMaxToldRefusal),
      absl::FormatDuration(kSparedFor));
  books_.outbox.Push(std::move(note));
  Drop(victim);
}

// Not while the gang is evicted anew, which may mark it once more.
void Evictions::SendOwed(absl::Time now) {
  for (const std::string& uid : owed_due_.TakeDue(now)) {
    const auto owed = owed_.find(uid);
    const KnownPod* record = books_.pods.Find(uid);
    if (record == nullptr || record->leaving) {
      owed_.erase(owed);
      continue;
    }
    if (full() || !books_.outbox.active() || evictions_.contains(record->group)) {
      owed_due_.Set(uid, now + kEvictionRetry);
      continue;
    }
    ++sent_;
    owed->second.attempt = --attempts_;
    books_.outbox.Push(PodMark{owed->second.pod,
                               {{std::string(kEvictedForAnnotation), std::nullopt}},
                               owed->second.attempt});
  }
}

void Evictions::OwedWritten(absl::Time now, std::string_view uid, int64_t attempt,
                            const absl::Status& status) {
  const auto owed = owed_.find(uid);
  if (owed == owed_.end() || attempt == 0 || owed->second.attempt != attempt) return;
  --sent_;
  owed->second.attempt = 0;
  if (IsOver(status)) return void(owed_.erase(owed));
  owed_due_.Set(owed->first, now + (WasRefused(status) ? kSparedFor : kEvictionRetry));
}

// Whose eviction was sent and not answered has not gone by itself.
void Evictions::Evicted(absl::Time now, GroupId victim, Eviction& eviction, std::string_view uid,
                        const absl::Status& status) {
  if (WasRefused(status)) return Refused(now, victim, eviction, uid, status);
  if (!IsOver(status)) {
    eviction.lands = now + kLandsWithin;
    return Retry(now, victim, uid);
  }
  const bool by_itself = eviction.state == State::kFirst && !status.ok() && !eviction.in_doubt();
  if (by_itself && eviction.unwanted) return LetGo(now, victim, eviction, false);
  eviction.ComesOn(now);
  if (IsSingles(victim)) {
    if (status.ok()) TellSingle(eviction, uid);
  } else if (eviction.state == State::kFirst && !by_itself) {
    Tell(victim, eviction);
  }
  if (!by_itself) eviction.state = State::kEvicting;
  eviction.told.emplace(uid);
  if (eviction.some) NoteGivenUp(victim, eviction);
  if (eviction.told.size() == eviction.pods.size()) return ToldAll(now, victim, eviction);
  SendSome(now, victim, eviction);
}

// What a gang gives up it has not lost: who comes in its place joins those that stay.
void Evictions::NoteGivenUp(GroupId victim, const Eviction& eviction) {
  Group* group = books_.groups.Find(victim);
  if (group == nullptr) return;  // pods of no gang
  for (const std::string& uid : eviction.told) {
    if (group->Find(uid) != nullptr) group->GiveUp(uid);
  }
}

// That is an end as long as nobody has gone, or may have by an earlier try; after that all of them
// go.
void Evictions::Refused(absl::Time now, GroupId victim, Eviction& eviction, std::string_view uid,
                        const absl::Status& status) {
  SparePods(now, victim, uid, status);
  eviction.against = Message(status);
  if (eviction.some) return LetGo(now, victim, eviction, true);
  if (eviction.state != State::kFirst) return Force(now, victim, eviction, uid);
  if (now < eviction.lands) return Retry(now, victim, uid);
  LetGo(now, victim, eviction, true);
}

// Where this is refused, too, the one is tried after the other.
void Evictions::Force(absl::Time now, GroupId victim, Eviction& eviction, std::string_view uid) {
  const std::string key(uid);
  if (!forced_.insert(key).second) {
    forced_.erase(key);
    return Retry(now, victim, uid);
  }
  const auto pod = eviction.Find(uid);
  if (pod == eviction.pods.end()) return;  // it was not there when it was looked at last
  Evict(now, victim, *pod, PodDelete::How::kForce);
}

// It ends, or has ended, by itself: one that has succeeded is not to be made anew.
bool Evictions::HasStopped(std::string_view uid) const {
  const KnownPod* record = books_.pods.Find(uid);
  return record == nullptr || record->leaving;
}

void Evictions::Again(absl::Time now, const std::string& uid) {
  const auto write = writes_.find(uid);
  if (write == writes_.end() || write->second.attempt != 0) return;
  const GroupId victim = write->second.victim;
  Eviction& eviction = evictions_.at(victim);
  if (eviction.state == State::kSuspending) return Suspend(now, victim, eviction);
  const bool marks = eviction.state == State::kMarking;
  if (marks || eviction.state == State::kUnmarking) return Mark(now, victim, eviction, marks);
  const auto pod = eviction.Find(uid);
  if (pod == eviction.pods.end()) return void(writes_.erase(write));
  if (eviction.state == State::kFirst && HasStopped(uid)) {  // it may be by an earlier try
    writes_.erase(write);
    return Evicted(now, victim, eviction, uid, absl::NotFoundError("it stops"));
  }
  const bool ends = eviction.unwanted && eviction.MayEnd();
  if (ends && now >= eviction.lands) return LetGo(now, victim, eviction, true);
  if (ends || full()) return due_.Set(uid, now + kEvictionRetry);
  SendAgain(now, victim, eviction, *pod);
}

void Evictions::SendAgain(absl::Time now, GroupId victim, Eviction& eviction, const PodRef& pod) {
  const auto how = eviction.state == State::kChecking ? PodDelete::How::kTry
                   : forced_.contains(pod.uid)        ? PodDelete::How::kForce
                                                      : PodDelete::How::kEvict;
  Evict(now, victim, pod, how);
}

// Each of them by itself: who sees to the one has nothing to do with the other.
void Evictions::TellSingle(const Eviction& eviction, std::string_view uid) {
  const auto pod = std::find_if(eviction.pods.begin(), eviction.pods.end(),
                                [&](const PodRef& one) { return one.uid == uid; });
  const auto priority = eviction.priorities.find(uid);
  if (pod == eviction.pods.end() || priority == eviction.priorities.end()) return;
  EventNote note;
  note.ns = pod->ns;
  note.regarding = AsObject(*pod);
  note.warning = true;
  note.reason = kPodPreempted;
  note.action = kPreemptAction;
  note.note =
      fmt::format("pod {}/{}, priority {}, {}", pod->ns, pod->name, priority->second, eviction.why);
  books_.outbox.Push(std::move(note));
}

// Of those that are restarted it is counted, too.
void Evictions::Tell(GroupId victim, const Eviction& eviction) {
  const Group* group = books_.groups.Find(victim);
  if (group == nullptr || eviction.why.empty()) return;
  EventNote note;
  note.ns = group->key().ns;
  note.regarding = group->owner() ? *group->owner() : AsObject(eviction.pods.front());
  note.warning = true;
  const bool restarts = eviction.anew;
  if (restarts)
    restarted_[static_cast<size_t>(eviction.cause)].push_back({group->key(), group->makers()});
  note.reason = restarts ? kGangRestarted : kGangPreempted;
  note.action = restarts ? kRestartAction : kPreemptAction;
  note.note = eviction.why;
  books_.outbox.Push(std::move(note));
}

}  // namespace gangplan
