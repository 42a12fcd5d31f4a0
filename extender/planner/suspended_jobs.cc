#include "extender/planner/suspended_jobs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "extender/cluster/annotations.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr char kGangInvalid[] = "GangInvalid";
constexpr char kGangWaiting[] = "GangWaiting";

// Its pods make one gang, and nobody else's do.
bool IsOfItsOwn(const GroupSpec& spec, const OwnerRef& job) {
  return spec.key.incarnation == job.uid && spec.pod_sets.size() == 1;
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

// One that the user's own words make; another one than the Job was pinned to.
PodFacts SuspendedJobs::TemplateOf(const JobFacts& job) {
  PodFacts pod = job.pod;
  pod.filter =
      WithoutPin(std::move(pod.filter), FindLabel(job.owner.annotations, kPinnedAnnotation));
  return pod;
}

// ---- what the watch shows

void SuspendedJobs::OnJob(absl::Time now, const JobFacts& job) {
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
  entry.state = State::kWaits;
  Renew(now, uid, entry);
}

void SuspendedJobs::OnJobLeft(std::string_view uid) {
  const auto it = entries_.find(uid);
  if (it == entries_.end()) return;
  Entry& entry = it->second;
  entry.marked = false;
  const bool over = entry.state == State::kStarted && entry.group == 0;
  if (entry.state == State::kWaits || over) Drop(uid);
}

// As it is now it is to have a plan. One that has none is asked once more: it may lack its shape.
void SuspendedJobs::Renew(absl::Time now, const std::string& uid, Entry& entry) {
  Group* group = books_.groups.Find(entry.group);
  if (group == nullptr || !group->StaysEmpty()) {
    LeaveGroup(entry);
    return Pend(uid, entry);
  }
  if (group->start() == GroupStart::kComing && group->members().empty())
    group->SetStart(GroupStart::kSuspended);
  const bool same = IsPlaced(entry) && roster_.SpecOf(entry.job) == entry.spec &&
                    TemplateOf(entry.job) == entry.told;
  if (!same) return MakeGroup(now, uid, entry);
  plans_.SetFilter(*group, entry.told.filter);
  Start(now, uid, entry);
}

void SuspendedJobs::Pend(const std::string& uid, Entry& entry) {
  pending_.emplace(entry.arrival, uid);
}

// ---- its group

// Gives it a group, or its group the template that it has now.
void SuspendedJobs::MakeGroup(absl::Time now, const std::string& uid, Entry& entry) {
  if (now < entry.not_before) return due_.Set(uid, entry.not_before);
  const GroupSpec spec = roster_.SpecOf(entry.job);
  const PodFacts pod = TemplateOf(entry.job);
  std::string problem = pod.fault.empty() ? spec.problem : pod.fault;
  if (problem.empty() && spec.kind != GroupSpec::Kind::kMember)
    problem = "nothing says which gang its pods are, or they are of another scheduler";
  if (!problem.empty()) {
    LeaveGroup(entry);
    return Tell(entry, kGangInvalid,
                fmt::format("job {}/{} waits suspended for gangplan: {}", entry.job.owner.ns,
                            entry.job.owner.ref.name, problem));
  }
  const bool some = entry.job.owner.left && *entry.job.owner.left < spec.size();  // have succeeded
  if (!IsOfItsOwn(spec, entry.job.owner.ref) || pod.gated() || some) {
    LeaveGroup(entry);
    return StartUnplanned(entry);
  }
  const absl::StatusOr<Group*> group = roster_.PlaceFor(pod, spec);
  if (!group.ok()) {
    due_.Set(uid, now + kClaimRetry);
    return Tell(entry, kGangWaiting, Message(group.status()));
  }
  // It was suspended while it ran. What has succeeded stays, and the rest is repaired.
  const auto members = static_cast<int32_t>((*group)->members().size());
  if (members > 0 && members == (*group)->finished()) {
    LeaveGroup(entry);
    return StartUnplanned(entry);
  }
  if (members > 0) return due_.Set(uid, now + kEndedRetry);
  const GroupId id = (*group)->id();
  if (entry.group != id) LeaveGroup(entry);
  entry.group = id;
  entry.spec = spec;
  entry.told = pod;
  by_group_[id] = uid;
  plans_.Foretell(**group, pod, spec);
}

// Without members it is of no use to anybody; with some it ends with them.
void SuspendedJobs::LeaveGroup(Entry& entry) {
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

void SuspendedJobs::Drop(std::string_view uid) {
  const auto it = entries_.find(uid);
  if (it == entries_.end()) return;
  LeaveGroup(it->second);
  pending_.erase(it->second.arrival);
  due_.Clear(it->first);
  entries_.erase(it);
}

bool SuspendedJobs::IsPlaced(const Entry& entry) const {
  const Group* group = books_.groups.Find(entry.group);
  return group != nullptr && group->suspended() && group->planned() &&
         group->In(SlotState::kHeld) == group->size();
}

// ---- what becomes of the groups

void SuspendedJobs::Follow(absl::Time now) {
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
void SuspendedJobs::Erased(GroupId id) {
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

// Also of a Job that was started before a restart, or suspended and resumed by somebody else, with
// our nodes in it. Null: it is not ours.
SuspendedJobs::Entry* SuspendedJobs::EntryOf(GroupId id) {
  if (const auto it = by_group_.find(id); it != by_group_.end()) return &entries_.at(it->second);
  const Group* group = books_.groups.Find(id);
  if (group == nullptr || group->StaysEmpty() || !group->owner()) return nullptr;
  const std::string& uid = group->owner()->uid;
  const OwnerFacts* owner = books_.owners.Facts(uid);
  if (owner == nullptr || entries_.contains(uid)) return nullptr;
  Entry& entry = entries_[uid];
  entry.arrival = ++arrivals_;
  entry.job.owner = *owner;
  entry.marked = false;
  entry.state = State::kStarted;
  entry.group = id;
  by_group_[id] = uid;
  return &entry;
}

// What it held came to nothing. Of a Job that runs that is for the instance to say which the
// scheduler asks, or which has started it.
void SuspendedJobs::Withdraw(absl::Time now, GroupId id) {
  Entry* found = EntryOf(id);
  if (found == nullptr) return;
  Entry& entry = *found;
  const bool ours = entry.attempt > 0;
  if (entry.state != State::kWaits && !ours && !books_.outbox.active()) {
    not_withdrawn_.insert(id);
    return;
  }
  const std::string uid = entry.job.owner.ref.uid;
  entry.not_before = now + SolveQueue::PauseAfter(kFruitlessPause, entry.fruitless++);
  // It tells why until it is planned again.
  Group& group = *books_.groups.Find(id);
  group.SetStart(entry.state == State::kWaits ? GroupStart::kSuspended : GroupStart::kEnding);
  books_.queue.Pause(id, entry.not_before);
  entry.withdrawn = entry.state == State::kStarting;  // not before it is known to run
  if (entry.state == State::kStarted) Suspend(entry);
  if (entry.state == State::kWaits) due_.Set(uid, entry.not_before);
}

// Where it may go there is no room any more: one that was started is planned anew elsewhere.
void SuspendedJobs::Blocked(absl::Time now, GroupId id) {
  const Group* group = books_.groups.Find(id);
  if (group == nullptr || (!group->Started() && group->holds() > 0)) return;
  const Entry* entry = EntryOf(id);
  if (entry == nullptr) return;
  if (entry->state == State::kStarting || entry->state == State::kStarted) Withdraw(now, id);
}

// ---- time

void SuspendedJobs::Look(absl::Time now, const std::string& uid) {
  const auto it = entries_.find(uid);
  if (it == entries_.end()) return;
  Entry& entry = it->second;
  if (entry.state == State::kWaits) {
    IsPlaced(entry) ? Start(now, uid, entry) : Renew(now, uid, entry);
  } else if (entry.in_doubt) {
    const bool withdrawn = entry.withdrawn;
    Write(entry, JobWrite(entry.write), entry.state);
    entry.withdrawn = withdrawn;
    entry.in_doubt = true;
  } else if (entry.state == State::kSuspending && !entry.marked) {
    Drop(uid);
  }
}

void SuspendedJobs::Tick(absl::Time now) {
  for (const std::string& uid : due_.TakeDue(now)) Look(now, uid);
  if (!plans_.planning()) return;
  for (size_t left = kForetoldAtOnce; left > 0 && !pending_.empty(); --left) {
    const std::string uid = pending_.begin()->second;
    pending_.erase(pending_.begin());
    Entry& entry = entries_.at(uid);
    if (entry.state == State::kWaits && entry.group == 0) MakeGroup(now, uid, entry);
  }
  if (books_.outbox.active() && !std::exchange(was_active_, true)) BeginToWrite(now);
}

// What an instance that nobody asked has left.
void SuspendedJobs::BeginToWrite(absl::Time now) {
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
