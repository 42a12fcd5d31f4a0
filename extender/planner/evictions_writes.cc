// What comes of the writes of an eviction.
#include "extender/planner/event_reasons.h"
#include "extender/planner/evictions.h"
#include "extender/planner/limits.h"
#include "extender/planner/write_errors.h"

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
  const auto found = evictions_.find(*victim);
  return found == evictions_.end() ? nullptr : &found->second;
}

void Evictions::OnJobWritten(absl::Time now, std::string_view uid, int64_t attempt,
                             const absl::Status& status) {
  GroupId victim = 0;
  Eviction* eviction = Answered(uid, attempt, &victim);
  if (eviction == nullptr || eviction->state != State::kSuspending) return;
  if (WasRefused(status)) return ByPods(now, victim, *eviction);
  if (!IsOver(status)) return Retry(now, victim, uid);
  Tell(victim, *eviction);
  ToldAll(now, victim, *eviction);
  eviction->look = now + kSuspendedWithin;
}

void Evictions::OnPodWritten(absl::Time now, std::string_view uid, int64_t attempt,
                             const absl::Status& status) {
  GroupId victim = 0;
  Eviction* eviction = Answered(uid, attempt, &victim);
  if (eviction == nullptr) return;
  switch (eviction->state) {
    case State::kChecking:
      return Tried(now, victim, *eviction, uid, status);
    case State::kMarking:
      return Marked(now, victim, *eviction, status);
    case State::kUnmarking:
      if (!IsOver(status) && !WasRefused(status)) return Retry(now, victim, uid);
      return Refuse(now, victim);
    case State::kFirst:
    case State::kEvicting:
      return Evicted(now, victim, *eviction, uid, status);
    case State::kMayGo:
    case State::kSuspending:
    case State::kEnding:
      return;
  }
}

// It is not known whether it was done; doing it again is the same.
void Evictions::Retry(absl::Time now, GroupId victim, std::string_view uid) {
  const std::string key(uid);
  writes_[key] = {victim, 0};
  due_.Set(key, now + kEvictionRetry);
}

void Evictions::Tried(absl::Time now, GroupId victim, Eviction& eviction, std::string_view uid,
                      const absl::Status& status) {
  eviction.heard = now;
  if (WasRefused(status)) return Refuse(now, victim);
  if (!IsOver(status)) return Retry(now, victim, uid);
  eviction.told.emplace(uid);
  if (eviction.told.size() == eviction.pods.size()) return MayGo(now, victim, eviction);
  SendSome(now, victim, eviction);
}

void Evictions::Marked(absl::Time now, GroupId victim, Eviction& eviction,
                       const absl::Status& status) {
  const std::string uid = eviction.pods.back().uid;
  if (WasRefused(status)) return Refuse(now, victim);
  if (!IsOver(status)) return Retry(now, victim, uid);
  if (!status.ok()) {  // that one is gone
    eviction.pods.pop_back();
    if (eviction.pods.empty()) return ToldAll(now, victim, eviction);
    return ByPods(now, victim, eviction);
  }
  eviction.marks = true;
  eviction.state = State::kFirst;
  SendSome(now, victim, eviction);
}

// The first refusal is an end as long as nobody has gone; after that all of them go. Whose eviction
// was sent and not answered has not gone by itself.
void Evictions::Evicted(absl::Time now, GroupId victim, Eviction& eviction, std::string_view uid,
                        const absl::Status& status) {
  if (WasRefused(status) && (eviction.state == State::kFirst || eviction.some)) {
    if (eviction.marks) return Mark(now, victim, eviction, false);
    return Refuse(now, victim);
  }
  if (WasRefused(status)) return Force(now, victim, eviction, uid);
  if (!IsOver(status)) {
    eviction.in_doubt = true;
    return Retry(now, victim, uid);
  }
  const bool by_itself = eviction.state == State::kFirst && !status.ok() && !eviction.in_doubt;
  if (eviction.state == State::kFirst && !by_itself) Tell(victim, eviction);
  if (!by_itself) eviction.state = State::kEvicting;
  eviction.told.emplace(uid);
  if (eviction.told.size() == eviction.pods.size()) return ToldAll(now, victim, eviction);
  SendSome(now, victim, eviction);
}

void Evictions::Force(absl::Time now, GroupId victim, Eviction& eviction, std::string_view uid) {
  const std::string key(uid);
  if (!forced_.insert(key).second) return Retry(now, victim, uid);  // this is refused, too
  const auto pod = eviction.Find(uid);
  if (pod == eviction.pods.end()) return;  // it was not there when it was looked at last
  Evict(now, victim, *pod, PodDelete::How::kForce);
}

void Evictions::Again(absl::Time now, const std::string& uid) {
  const auto write = writes_.find(uid);
  if (write == writes_.end()) return;
  const GroupId victim = write->second.victim;
  const auto found = evictions_.find(victim);
  if (found == evictions_.end()) return void(writes_.erase(write));
  Eviction& eviction = found->second;
  if (eviction.state == State::kSuspending) return Suspend(now, victim, eviction);
  const bool marks = eviction.state == State::kMarking;
  if (marks || eviction.state == State::kUnmarking) return Mark(now, victim, eviction, marks);
  const auto pod = eviction.Find(uid);
  if (pod == eviction.pods.end()) return void(writes_.erase(write));
  const auto how = eviction.state == State::kChecking ? PodDelete::How::kTry
                   : forced_.contains(uid)            ? PodDelete::How::kForce
                                                      : PodDelete::How::kEvict;
  Evict(now, victim, *pod, how);
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
    restarted_[static_cast<size_t>(eviction.cause)].push_back({group->key(), group->owner()});
  note.reason = restarts ? kGangRestarted : kGangPreempted;
  note.action = restarts ? kRestartAction : kPreemptAction;
  note.note = eviction.why;
  books_.outbox.Push(std::move(note));
}

}  // namespace gangplan
