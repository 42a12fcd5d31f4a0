#include "extender/planner/evictions.h"

#include <algorithm>

#include "extender/cluster/annotations.h"
#include "extender/planner/limits.h"
#include "extender/planner/told_gang.h"
#include "fmt/format.h"
#include "topology/base/text.h"
#include "topology/owner_kinds.h"

namespace gangplan {

// ---- who is evicted

// In the order of their UIDs.
std::vector<PodRef> Evictions::PodsOf(const Group& group) const {
  std::vector<PodRef> pods;
  for (const auto& [uid, member] : group.members()) {
    if (member.runs && !member.finished) pods.push_back(member.pod);
  }
  return pods;
}

std::string Evictions::NamespaceOf(GroupId victim, const Eviction& eviction) const {
  return eviction.pods.empty() ? books_.groups.Find(victim)->key().ns : eviction.pods.front().ns;
}

// A gang that more may join does not wait suspended.
bool Evictions::HasSwitch(const Group& group) const {
  return suspends_ && group.sizing().least == 0 && group.owner() &&
         FindOwnerKind(group.owner()->kind) != nullptr && group.key().IsOf(group.owner()->uid) &&
         group.key().name == group.owner()->name;
}

bool Evictions::MadeAnew(const Group& group) const {
  return std::all_of(group.members().begin(), group.members().end(), [&](const auto& entry) {
    return !entry.second.runs || books_.pods.At(entry.first).controlled;
  });
}

void Evictions::Check(absl::Time now, std::string_view for_whom, std::span<const Yielder> victims) {
  std::vector<std::pair<GroupId, Eviction>> asked;
  for (const Yielder& victim : victims) {
    Eviction eviction;
    eviction.for_whom = for_whom;
    eviction.some = !victim.some.empty();
    eviction.pods = eviction.some ? victim.some : PodsOf(*books_.groups.Find(victim.group));
    asked.emplace_back(victim.group, std::move(eviction));
  }
  for (auto& [id, eviction] : asked) {
    const std::string ns = NamespaceOf(id, eviction);
    for (const auto& [other, beside] : asked) {
      if (other == id || NamespaceOf(other, beside) != ns) continue;
      for (const PodRef& pod : beside.pods) eviction.beside.push_back(pod.uid);
    }
  }
  for (auto& [id, eviction] : asked) AskAll(now, id, std::move(eviction));
}

void Evictions::Restart(absl::Time now, GroupId group, Cause cause, std::string why) {
  Eviction eviction;
  eviction.anew = true;
  eviction.cause = cause;
  eviction.for_whom = books_.groups.Find(group)->name();
  eviction.why = std::move(why);
  eviction.pods = PodsOf(*books_.groups.Find(group));
  AskAll(now, group, std::move(eviction));
}

void Evictions::AskAll(absl::Time now, GroupId victim, Eviction eviction) {
  Eviction& asked = evictions_[victim] = std::move(eviction);
  asked.ComesOn(now);
  if (asked.pods.empty()) return MayGo(now, victim, asked);
  SendSome(now, victim, asked);
}

// It is still as it was when that was asked.
bool Evictions::IsDue(const Group& group, Cause cause) {
  if (group.In(SlotState::kPosting) > 0) return false;
  if (cause == Cause::kNoRoom) return group.WaitsForRoom();
  return group.AllThereRun() && !group.AnyFinished();
}

void Evictions::MayGo(absl::Time now, GroupId victim, Eviction& eviction) {
  eviction.state = State::kMayGo;
  const Group* group = books_.groups.Find(victim);
  if (group == nullptr || !eviction.anew) {
    news_[victim] = {News::kMayGo, {}};
  } else if (!IsDue(*group, eviction.cause)) {
    Drop(victim);
  } else {
    Begin(now, victim, std::move(eviction.why));
  }
}

bool Evictions::AnyCameOn(absl::Time since) const {
  return std::any_of(evictions_.begin(), evictions_.end(),
                     [&](const auto& entry) { return entry.second.heard > since; });
}

// What was sent is waited for: the mark before it is taken back, the first eviction since it may be
// done. Of pods that may go one by one some may have gone.
void Evictions::Cancel(absl::Time now, GroupId victim) {
  const auto found = evictions_.find(victim);
  if (found == evictions_.end()) return;
  Eviction& eviction = found->second;
  if (!eviction.begun()) return Drop(victim);
  if (!eviction.some && !eviction.MayEnd()) return;
  eviction.unwanted = true;
  const bool known = eviction.sent == 0 && !eviction.in_doubt();
  if (eviction.some || known) LetGo(now, victim, eviction, eviction.doubted);
}

bool Evictions::CancelRestart(absl::Time now, GroupId group, absl::Time unheard_since) {
  const auto found = evictions_.find(group);
  if (found == evictions_.end() || books_.groups.Find(group) == nullptr) return false;
  const Eviction& eviction = found->second;
  const bool own = eviction.anew && eviction.cause == Cause::kNotReady;
  if (!own || eviction.heard > unheard_since) return false;
  const bool asked = !eviction.begun();
  Cancel(now, group);
  return asked;
}

// What is on its way for it is nobody's answer any more.
void Evictions::Drop(GroupId victim) {
  const auto found = evictions_.find(victim);
  if (found != evictions_.end()) {
    ForgetWrites(victim, found->second);
    for (const PodRef& pod : found->second.pods) forced_.erase(pod.uid);
    evictions_.erase(found);
  }
  books_.yielding.EndEviction(victim);
}

void Evictions::ForgetWrites(GroupId victim, Eviction& eviction) {
  std::erase_if(writes_, [&](const auto& entry) { return entry.second.victim == victim; });
  sent_ -= std::exchange(eviction.sent, 0);
}

// Nobody of it was touched, or may be, or those alone that it can do without: it goes on, at once,
// and what may be marked is not, as soon as that is known. `spares`: it is not asked about again
// for a while.
void Evictions::LetGo(absl::Time now, GroupId victim, Eviction& eviction, bool spares) {
  if (spares && !IsSingles(victim)) books_.yielding.Spare(victim, now + kSparedFor);
  if (!eviction.unwanted) news_[victim] = {News::kRefused, eviction.against};
  if (eviction.marks || now < eviction.mark_lands) {
    books_.yielding.EndEviction(victim);
    ForgetWrites(victim, eviction);
    Mark(now, victim, eviction, false);
  } else {
    Drop(victim);
  }
  if (!IsSingles(victim)) plans_.AskAnew(victim);
}

// Of which nobody tells what has become of them.
void Evictions::EndSilent(absl::Time now) {
  std::vector<GroupId> silent;
  for (const auto& [victim, eviction] : evictions_) {
    const bool is_silent = now - eviction.heard >= kUnheardFor;
    books_.yielding.SetStuck(victim, is_silent);
    if (is_silent && eviction.MayEnd() && !eviction.unwanted) silent.push_back(victim);
  }
  for (GroupId victim : silent) {
    Cancel(now, victim);
    news_[victim] = {News::kRefused, {}};
  }
}

void Evictions::Begin(absl::Time now, GroupId victim, std::string why) {
  const auto found = evictions_.find(victim);
  Group* group = books_.groups.Find(victim);
  if (found == evictions_.end() || (group == nullptr && !IsSingles(victim))) return;
  Eviction& eviction = found->second;
  eviction.why = std::move(why);
  eviction.ComesOn(now);
  if (eviction.some) {
    eviction.Restart(std::move(eviction.pods));
    eviction.state = State::kFirst;
    return SendSome(now, victim, eviction);
  }
  eviction.Restart(PodsOf(*group));
  ++begun_;
  Stop(*group, eviction);
  if (eviction.pods.empty()) return ToldAll(now, victim, eviction);
  if (HasSwitch(*group)) return Suspend(now, victim, eviction);
  ByPods(now, victim, eviction);
}

// None of it gets a node from here on, and what it holds for members that wait is given back.
void Evictions::Stop(Group& group, const Eviction& eviction) {
  books_.yielding.Evict(group.id(), eviction.for_whom);
  plans_.Release(group, Yielding::WhyEvicted(group.name(), eviction.for_whom));
  books_.lifecycle.Fire(group.id(), GroupEvent::kSlotLost);
}

// One pod goes or it does not; of several the mark tells that all of them go.
void Evictions::ByPods(absl::Time now, GroupId victim, Eviction& eviction) {
  if (eviction.pods.size() > 1) return Mark(now, victim, eviction, true);
  eviction.state = State::kFirst;
  SendSome(now, victim, eviction);
}

void Evictions::ToldAll(absl::Time now, GroupId victim, Eviction& eviction) {
  eviction.state = State::kEnding;
  eviction.look = now + kStopsWithin;
  news_[victim] = {News::kToldAll, {}};
}

// ---- writes

// The number of the next one; nothing is sent by an instance that is not active: later, then.
Evictions::Write* Evictions::Next(absl::Time now, GroupId victim, const std::string& uid) {
  if (!books_.outbox.active()) {
    due_.Set(uid, now + kEvictionRetry);
    writes_[uid] = {victim, 0};
    return nullptr;
  }
  Write& write = writes_[uid];
  if (write.attempt == 0) {
    ++sent_;
    ++evictions_.at(victim).sent;
  }
  write = {victim, --attempts_};
  return &write;
}

void Evictions::Suspend(absl::Time now, GroupId victim, Eviction& eviction) {
  eviction.state = State::kSuspending;
  const Group& group = *books_.groups.Find(victim);
  const Write* one = Next(now, victim, group.owner()->uid);
  if (one == nullptr) return;
  JobWrite write;
  write.ns = group.key().ns;
  write.job = *group.owner();
  write.suspend = write.evicts = true;
  write.labels = {{std::string(kSuspendedLabel), std::string(kSuspendedValue)}};
  write.attempt = one->attempt;
  books_.outbox.Push(std::move(write));
}

void Evictions::Mark(absl::Time now, GroupId victim, Eviction& eviction, bool marks) {
  eviction.state = marks ? State::kMarking : State::kUnmarking;
  const PodRef& pod = eviction.pods.back();
  const Write* one = Next(now, victim, pod.uid);
  if (one == nullptr) return;
  if (books_.pods.Find(pod.uid) != nullptr) books_.yielding.NoteOwnMark(pod.uid);
  std::optional<std::string> value;
  if (marks) {
    const std::string& own = books_.groups.Find(victim)->name();
    value = OfOneNamespace(own, eviction.for_whom) ? eviction.for_whom : kGangElsewhere;
  }
  books_.outbox.Push(
      PodMark{pod, {{std::string(kEvictedForAnnotation), std::move(value)}}, one->attempt});
}

void Evictions::Evict(absl::Time now, GroupId victim, const PodRef& pod, PodDelete::How how) {
  const Write* one = Next(now, victim, pod.uid);
  if (one == nullptr) return;
  PodDelete write{pod, {}, one->attempt, how, {}};
  const Eviction& eviction = evictions_.at(victim);
  const bool several = IsSingles(victim) || eviction.pods.size() + eviction.beside.size() > 1;
  const auto& asks = IsSingles(victim) ? eviction.pods.front() : eviction.pods.back();
  if (how == PodDelete::How::kTry && several && pod.uid == asks.uid) {
    write.together = eviction.beside;
    for (const PodRef& other : eviction.pods) write.together.push_back(other.uid);
  }
  books_.outbox.Push(std::move(write));
}

// As many as may be on their way: the first pod alone, the last one when all others are told; of
// pods of no group the first one asks about budgets, since who they are is not known before. In
// other states nothing is sent pod by pod. Those that wait to be sent again count for the group.
void Evictions::SendSome(absl::Time now, GroupId victim, Eviction& eviction) {
  const bool by_pods = eviction.state == State::kChecking || eviction.state == State::kFirst ||
                       eviction.state == State::kEvicting;
  if (!by_pods) return;
  const size_t all = eviction.pods.size();
  size_t end = all;
  const bool budgets = eviction.state == State::kChecking && eviction.told.empty();
  if (eviction.state == State::kFirst || (budgets && IsSingles(victim)))
    end = eviction.told.size() + 1;  // the told are gone
  if (eviction.state == State::kEvicting && eviction.told.size() + 1 < all) end = all - 1;
  const size_t most = std::min(end, eviction.told.size() + kEvictionsOfOne);
  const auto how =
      eviction.state == State::kChecking ? PodDelete::How::kTry : PodDelete::How::kEvict;
  for (; eviction.next < most && !full(); ++eviction.next) {
    const PodRef& pod = eviction.pods[eviction.next];
    if (eviction.state == State::kEvicting && HasStopped(pod.uid)) {
      eviction.told.insert(pod.uid);
    } else {
      Evict(now, victim, pod, how);
    }
  }
  if (eviction.state != State::kEvicting) return;
  if (eviction.told.size() == all) return ToldAll(now, victim, eviction);
  if (eviction.next == end && end < all && eviction.told.size() + 1 == all)
    SendSome(now, victim, eviction);  // the last one
}

// ---- with time

// Whose mark was found, by an instance that has not set it, or on a pod that it knew as another's.
// Of one that starts anew the other one has told.
// While all of it runs nobody has gone, but for what the other one has sent and nobody has seen.
void Evictions::Resume(absl::Time now) {
  for (const auto& [uid, whom] : books_.yielding.TakeMarked()) {
    const KnownPod* record = books_.pods.Find(uid);
    Group* group = record == nullptr ? nullptr : books_.groups.Find(record->group);
    if (group == nullptr || record->leaving || evictions_.contains(group->id())) continue;
    Eviction& eviction = evictions_[group->id()];
    eviction.pods = PodsOf(*group);
    const auto marked = eviction.Find(uid);
    if (marked != eviction.pods.end()) std::rotate(marked, marked + 1, eviction.pods.end());
    eviction.for_whom = whom;
    eviction.anew = whom == group->name();
    if (!eviction.anew) eviction.why = Yielding::WhyEvicted(group->name(), whom);
    eviction.state = group->AllThereRun() ? State::kFirst : State::kEvicting;
    eviction.lands = now + kLandsWithin;
    eviction.marks = true;
    eviction.ComesOn(now);
    Stop(*group, eviction);
    SendSome(now, group->id(), eviction);
  }
}

// The group that has its pods by now, where it was read anew; 0: none.
GroupId Evictions::HeirOf(const Eviction& eviction) const {
  for (const PodRef& pod : eviction.pods) {
    const KnownPod* record = books_.pods.Find(pod.uid);
    if (record != nullptr && record->group != 0) return record->group;
  }
  return 0;
}

// What has begun of the one goes on with the other, which has its pods now.
void Evictions::Inherit(GroupId victim, GroupId heir) {
  auto eviction = evictions_.extract(victim);
  books_.yielding.EndEviction(victim);
  eviction.key() = heir;
  Eviction& goes_on = evictions_.insert(std::move(eviction)).position->second;
  for (auto& [uid, write] : writes_) {
    if (write.victim == victim) write.victim = heir;
  }
  if (goes_on.state != State::kUnmarking) Stop(*books_.groups.Find(heir), goes_on);
}

void Evictions::Follow(absl::Time now) {
  std::vector<GroupId> over;
  for (const auto& [victim, eviction] : evictions_) {
    const Group* group = books_.groups.Find(victim);
    const bool gone = group == nullptr && !IsSingles(victim);
    const bool whole = group != nullptr && !books_.groups.Retired(victim);  // is not just read anew
    const bool ends = whole && group->bound() + group->In(SlotState::kPosting) == 0;
    if (gone || (eviction.begun() && (ends || eviction.EndsSome()))) over.push_back(victim);
  }
  for (GroupId victim : over) {
    const Eviction& eviction = evictions_.at(victim);
    const bool gone = !IsSingles(victim) && books_.groups.Find(victim) == nullptr;
    const GroupId heir = gone ? HeirOf(eviction) : 0;
    const bool goes_on = eviction.begun() && !eviction.some;
    news_[victim] = {heir != 0 && !goes_on ? News::kRefused : News::kToldAll, {}};
    if (heir != 0 && goes_on && !evictions_.contains(heir)) {
      Inherit(victim, heir);
    } else {
      Drop(victim);
      if (!gone && !IsSingles(victim)) plans_.AskAnew(victim);
    }
  }
  if (!evicts_) books_.yielding.TakeMarked();  // nobody here has begun any
  if (plans_.planning() && books_.yielding.AnyMarked() && books_.outbox.active()) Resume(now);
}

// Who should be on its way out and is not, or has come to its node since, is evicted once more.
void Evictions::LookAgain(absl::Time now, GroupId victim, Eviction& eviction) {
  eviction.Restart(PodsOf(*books_.groups.Find(victim)));
  eviction.state = State::kEvicting;
  if (!eviction.pods.empty()) SendSome(now, victim, eviction);
}

void Evictions::Tick(absl::Time now) {
  books_.yielding.EndSparing(now);
  Follow(now);  // groups may have gone since the last input
  EndSilent(now);
  for (const std::string& uid : due_.TakeDue(now)) Again(now, uid);
  for (auto& [victim, eviction] : evictions_) {
    const bool looks = eviction.state == State::kEnding && now >= eviction.look;
    if (looks && !books_.groups.Retired(victim)) {
      LookAgain(now, victim, eviction);
    } else {
      SendSome(now, victim, eviction);  // others may have taken all places
    }
  }
  SendOwed(now);
  if (evictions_.empty()) forced_.clear();
}

}  // namespace gangplan
