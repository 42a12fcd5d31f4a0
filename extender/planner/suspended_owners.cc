#include "extender/planner/suspended_owners.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "extender/cluster/annotations.h"
#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

std::string TimeText(absl::Time time) {
  return absl::FormatTime(absl::RFC3339_sec, time, absl::UTCTimeZone());
}

bool PinsItself(const JobFacts& job) {
  const OwnerKind* kind = FindOwnerKind(job.owner.ref.kind);
  return kind != nullptr && kind->pins_own_template;
}

// A pod that the user's own words make; another one than the owner was pinned to.
PodFacts Unpinned(const JobFacts& job, PodFacts pod) {
  if (PinsItself(job))
    pod.filter =
        WithoutPin(std::move(pod.filter), FindLabel(job.owner.annotations, kPinnedAnnotation));
  return pod;
}

// Until then it has to pause; longer pauses than ours are nobody's.
absl::Time NotBefore(const JobFacts& job, absl::Time now) {
  const std::string* text = FindLabel(job.owner.annotations, kNotBeforeAnnotation);
  absl::Time time;
  if (text == nullptr || !absl::ParseTime(absl::RFC3339_sec, *text, &time, nullptr))
    return absl::InfinitePast();
  return std::min(time, now + kMaxPause);
}

}  // namespace

bool SuspendedOwners::Templates::gated() const {
  return std::any_of(members.begin(), members.end(),
                     [](const Foretold& one) { return one.pod.gated(); });
}

SuspendedOwners::Templates SuspendedOwners::Read(const JobFacts& job) const {
  Templates read;
  for (size_t i = 0; i < job.pods.size(); ++i) {
    Foretold told{Unpinned(job, admission_.PodOf(job, i)), {}, i};
    told.spec = roster_.SpecOf(told.pod, job.owner);
    const std::string& problem = told.pod.fault.empty() ? told.spec.problem : told.pod.fault;
    if (read.problem.empty()) read.problem = problem;
    if (told.spec.kind == GroupSpec::Kind::kMember) read.members.push_back(std::move(told));
  }
  if (read.members.empty() && read.problem.empty())
    read.problem = "nothing says which gang its pods are, or they are of another scheduler";
  if (read.problem.empty()) read.problem = admission_.ProblemOf(job);
  if (!read.problem.empty()) return read;
  const GroupSpec& first = read.members.front().spec;
  read.one_gang = first.key.IsOf(job.owner.ref.uid) &&
                  read.members.size() == first.pod_sets.size() &&
                  std::all_of(read.members.begin(), read.members.end(),
                              [&](const Foretold& one) { return one.spec.key == first.key; });
  return read;
}

// ---- what the watch shows

void SuspendedOwners::OnJob(absl::Time now, const JobFacts& job) {
  const std::string& uid = job.owner.ref.uid;
  if (!job.suspended || job.terminating || job.finished) return OnJobLeft(uid);
  const auto [it, added] = entries_.try_emplace(uid);
  Entry& entry = it->second;
  if (added) entry.arrival = ++arrivals_;
  const bool writes = entry.state == State::kStarting || entry.state == State::kStarted;
  const bool echo = writes && entry.version == job.resource_version;
  entry.job = job;
  if (echo) return;
  entry.not_before = std::max(entry.not_before, NotBefore(job, now));
  entry.marked = true;
  entry.in_doubt = false;
  entry.attempt = 0;  // whatever is on its way was for another version
  entry.lost_since.reset();
  entry.state = State::kWaits;
  Renew(now, uid, entry);
  GiveGroups(now, 1);
}

void SuspendedOwners::OnJobLeft(std::string_view uid) {
  const auto it = entries_.find(uid);
  if (it == entries_.end()) return;
  Entry& entry = it->second;
  entry.marked = false;
  const bool over = entry.state == State::kStarted && entry.group == 0;
  if (entry.state == State::kWaits || over) Drop(uid);
}

void SuspendedOwners::OnAdmissionRule(const AdmissionRule& rule, bool stands) {
  if (admission_.Note(rule, stands) && !entries_.empty()) renewed_ = "";
}

// Of those that wait so many that the turn does not take long.
void SuspendedOwners::RenewSome(absl::Time now) {
  if (!renewed_ || !plans_.planning()) return;
  for (size_t left = kForetoldAtOnce; left > 0; --left) {
    const auto next = entries_.upper_bound(*renewed_);
    if (next == entries_.end()) return renewed_.reset();
    renewed_ = next->first;
    Entry& entry = next->second;
    const Templates read = entry.state == State::kWaits ? Read(entry.job) : Templates();
    const bool same = entry.group != 0 && read.problem.empty() && read.members == entry.told;
    if (entry.state == State::kWaits && !same) Renew(now, *renewed_, entry);
  }
}

// As it is now it is to have a plan. One that has none is asked once more: it may lack its shape.
void SuspendedOwners::Renew(absl::Time now, const std::string& uid, Entry& entry) {
  Group* group = books_.groups.Find(entry.group);
  if (group == nullptr || !group->StaysEmpty()) {
    LeaveGroup(entry);
    return Pend(uid, entry);
  }
  if (group->start() == GroupStart::kComing && group->members().empty())
    group->SetStart(GroupStart::kSuspended);
  const bool same = IsPlaced(entry) && Read(entry.job).members == entry.told;
  if (!same) return MakeGroup(now, uid, entry);
  for (const Foretold& one : entry.told) plans_.SetFilter(*group, one.spec.pod_set, one.pod.filter);
  Start(now, uid, entry);
}

// Those that wait for one, in the order in which they came, so many.
void SuspendedOwners::GiveGroups(absl::Time now, size_t most) {
  for (; plans_.planning() && most > 0 && !pending_.empty(); --most) {
    const std::string uid = pending_.begin()->second;
    pending_.erase(pending_.begin());
    Entry& entry = entries_.at(uid);
    if (entry.state == State::kWaits && entry.group == 0) MakeGroup(now, uid, entry);
  }
}

// For people: "job team/train".
std::string SuspendedOwners::NameOf(const Entry& entry) {
  const OwnerRef& owner = entry.job.owner.ref;
  return fmt::format("{} {}/{}", absl::AsciiStrToLower(owner.kind), entry.job.owner.ns, owner.name);
}

void SuspendedOwners::Pend(const std::string& uid, Entry& entry) {
  pending_.emplace(entry.arrival, uid);
}

// ---- its group

// Gives it a group, or its group the template that it has now.
void SuspendedOwners::MakeGroup(absl::Time now, const std::string& uid, Entry& entry) {
  if (now < entry.not_before) {
    if (IsPlaced(entry)) LeaveGroup(entry);  // for what it was; else it tells why it waits
    return due_.Set(uid, entry.not_before);
  }
  Templates read = Read(entry.job);
  if (!read.problem.empty()) {
    LeaveGroup(entry);
    return Tell(entry, kGangInvalid,
                fmt::format("{} waits suspended for gangplan: {}", NameOf(entry), read.problem));
  }
  const Foretold& first = read.members.front();
  const OwnerFacts& owner = entry.job.owner;
  const bool some = entry.job.begun || (owner.left && *owner.left < first.spec.size());
  if (!read.one_gang || owner.in_order || read.gated() || some) {
    LeaveGroup(entry);
    return StartUnplanned(now, uid, entry, read);
  }
  if (IsFull(now, uid, entry)) return;
  const absl::StatusOr<Group*> group = roster_.PlaceFor(first.pod, first.spec);
  if (!group.ok()) {
    LeaveGroup(entry);
    const bool all = !books_.groups.CheckGroups(owner.ns).ok();
    if (all) full_[owner.ns] = {now + kClaimRetry, Message(group.status())};
    due_.Set(uid, now + kClaimRetry);
    return Tell(entry, kGangWaiting, Message(group.status()));
  }
  // It was suspended while it ran. What has succeeded stays, and the rest is repaired.
  const auto members = static_cast<int32_t>((*group)->members().size());
  if (members > 0 && members == (*group)->finished()) {
    LeaveGroup(entry);
    return StartUnplanned(now, uid, entry, read);
  }
  if (members > 0) return due_.Set(uid, now + kEndedRetry);
  const GroupId id = (*group)->id();
  if (entry.group != id) LeaveGroup(entry);
  entry.group = id;
  entry.told = std::move(read.members);
  by_group_[id] = uid;
  plans_.Foretell(**group, entry.told);
}

// Its namespace, or gangplan, can have no more groups: that was asked a while ago.
bool SuspendedOwners::IsFull(absl::Time now, const std::string& uid, Entry& entry) {
  const auto full = full_.find(entry.job.owner.ns);
  if (full == full_.end() || entry.group != 0) return false;
  const auto [until, why] = full->second;
  if (now >= until) {
    full_.erase(full);
    return false;
  }
  due_.Set(uid, until);
  Tell(entry, kGangWaiting, why);
  return true;
}

// Without members it is of no use to anybody; with some it ends with them.
void SuspendedOwners::LeaveGroup(Entry& entry) {
  entry.start_from = absl::InfiniteFuture();
  const GroupId id = std::exchange(entry.group, 0);
  by_group_.erase(id);
  Group* group = books_.groups.Find(id);
  if (group == nullptr) return;
  if (group->members().empty()) return plans_.Erase(id);
  if (!group->StaysEmpty()) return;
  group->SetStart(GroupStart::kStarted);
  plans_.AskAnew(id);
}

void SuspendedOwners::Drop(std::string_view uid) {
  const auto it = entries_.find(uid);
  if (it == entries_.end()) return;
  LeaveGroup(it->second);
  books_.owners.ForgetForetold(uid);
  pending_.erase(it->second.arrival);
  due_.Clear(it->first);
  entries_.erase(it);
}

bool SuspendedOwners::IsPlaced(const Entry& entry) const {
  const Group* group = books_.groups.Find(entry.group);
  return group != nullptr && group->suspended() && group->planned() &&
         group->In(SlotState::kHeld) == group->size();
}

// ---- what becomes of the groups

void SuspendedOwners::Follow(absl::Time now) {
  const Plans::StartNews news = plans_.TakeStartNews();
  for (GroupId id : news.erased) Erased(id);
  for (GroupId id : news.given_back) Withdraw(now, id);
  for (GroupId id : news.blocked) Blocked(now, id);
  for (GroupId id : news.placed) {
    const auto it = by_group_.find(id);
    if (it != by_group_.end()) Start(now, it->second, entries_.at(it->second));
  }
}

// Its pods have gone; or it was taken from it, to be read anew.
void SuspendedOwners::Erased(GroupId id) {
  not_withdrawn_.erase(id);
  const auto it = by_group_.find(id);
  if (it == by_group_.end()) return;
  const std::string uid = it->second;
  by_group_.erase(it);
  Entry& entry = entries_.at(uid);
  entry.group = 0;
  if (entry.state == State::kWaits) return Pend(uid, entry);
  if (entry.state == State::kStarted && !entry.marked) Drop(uid);
}

// Also of an owner that was started before a restart, or suspended and resumed by somebody else,
// with our nodes in it, and of a JobSet that has started its pods anew. Null: it is not ours.
SuspendedOwners::Entry* SuspendedOwners::EntryOf(GroupId id) {
  if (const auto it = by_group_.find(id); it != by_group_.end()) return &entries_.at(it->second);
  const Group* group = books_.groups.Find(id);
  if (group == nullptr || group->StaysEmpty() || !group->owner()) return nullptr;
  const std::string& uid = group->owner()->uid;
  const OwnerFacts* owner = books_.owners.Facts(uid);
  if (owner == nullptr) return nullptr;
  const auto [known, added] = entries_.try_emplace(uid);
  Entry& entry = known->second;
  if (!added && (entry.marked || entry.state != State::kStarted)) return nullptr;
  by_group_.erase(entry.group);
  if (added) entry.arrival = ++arrivals_;
  entry.job.owner = *owner;
  entry.marked = false;
  entry.state = State::kStarted;
  entry.group = id;
  by_group_[id] = uid;
  return &entry;
}

// What it held came to nothing. Of one that runs that is for the instance to say which the
// scheduler asks, or which has started it.
void SuspendedOwners::Withdraw(absl::Time now, GroupId id) {
  Entry* found = EntryOf(id);
  if (found == nullptr) return;
  Entry& entry = *found;
  const bool ours = entry.attempt > 0;
  if (entry.state != State::kWaits && !ours && !books_.outbox.active()) {
    not_withdrawn_.insert(id);
    return;
  }
  const std::string uid = entry.job.owner.ref.uid;
  Group& group = *books_.groups.Find(id);
  if (group.whole()) entry.fruitless = 0;
  entry.lost_since.reset();
  entry.not_before = now + SolveQueue::PauseAfter(kFruitlessPause, entry.fruitless++);
  if (entry.state != State::kWaits) {
    Tell(entry, kGangSuspended,
         fmt::format("{} is suspended again by gangplan, and planned anew from {} on: {}",
                     NameOf(entry), TimeText(entry.not_before), group.verdict().reason));
  }
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
  Entry* entry = EntryOf(id);
  if (entry == nullptr) return;
  const bool started = entry->state == State::kStarted || entry->state == State::kStarting;
  if (started && StaysLost(*group)) {
    if (entry->lost_since == group->times_whole()) return;
    entry->lost_since = group->times_whole();
    return due_.Set(entry->job.owner.ref.uid, now + kLostFor);
  }
  if (started) Withdraw(now, id);
}

// ---- time

void SuspendedOwners::Look(absl::Time now, const std::string& uid) {
  const auto it = entries_.find(uid);
  if (it == entries_.end()) return;
  Entry& entry = it->second;
  if (entry.state == State::kWaits) {
    Renew(now, uid, entry);
  } else if (entry.in_doubt) {
    const bool withdrawn = entry.withdrawn;
    Write(entry, JobWrite(entry.write), entry.state);
    entry.withdrawn = withdrawn;
    entry.in_doubt = true;
  } else if (entry.state == State::kSuspending && !entry.marked) {
    Drop(uid);
  } else if (const auto since = std::exchange(entry.lost_since, {})) {
    const Group* group = books_.groups.Find(entry.group);
    const bool lost = group != nullptr && group->times_whole() == since && StaysLost(*group);
    if (lost) Withdraw(now, group->id());
  }
}

void SuspendedOwners::Tick(absl::Time now) {
  for (const std::string& uid : due_.TakeDue(now)) Look(now, uid);
  RenewSome(now);
  GiveGroups(now, kForetoldAtOnce);
  if (plans_.planning() && books_.outbox.active() && !std::exchange(was_active_, true))
    BeginToWrite(now);
}

// What an instance that nobody asked has left.
void SuspendedOwners::BeginToWrite(absl::Time now) {
  for (auto& [uid, entry] : entries_) Start(now, uid, entry);
  for (GroupId id : std::exchange(not_withdrawn_, {})) {
    const Group* group = books_.groups.Find(id);
    if (group == nullptr) continue;
    const bool rests =
        group->state() == GroupState::kBlocked || group->state() == GroupState::kReleased;
    const bool never = group->Started() && group->verdict().outcome == Outcome::kImpossible;
    if (rests || never) Withdraw(now, id);
  }
}

}  // namespace gangplan
