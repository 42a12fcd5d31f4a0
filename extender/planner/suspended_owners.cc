#include "extender/planner/suspended_owners.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "extender/cluster/annotations.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "extender/planner/owner_key.h"
#include "fmt/format.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/object_name.h"

namespace gangplan {
namespace {

std::string FullName(const OwnerFacts& owner) { return NameInNamespace(owner.ns, owner.ref.name); }

// Until then it has to pause; longer pauses than ours are nobody's.
absl::Time NotBefore(const JobFacts& job, absl::Time now) {
  const std::string* text = FindLabel(job.owner.annotations, kNotBeforeAnnotation);
  absl::Time time;
  if (text == nullptr || !absl::ParseTime(absl::RFC3339_sec, *text, &time, nullptr))
    return absl::InfinitePast();
  return std::min(time, now + kMaxPause);
}

}  // namespace

// ---- what the watch shows

void SuspendedOwners::OnJob(absl::Time now, const JobFacts& job) {
  const std::string& uid = job.owner.ref.uid;
  // Whose one is that cannot be read nobody knows.
  const bool theirs = !job.pods.empty() && job.pods.front().fault.empty() &&
                      roster_.IsOfOtherPair(job.pods.front());
  if (!theirs && job.check && OnChecked(now, job)) return;
  if (!job.suspended || job.terminating || job.finished || theirs) return OnJobLeft(now, uid);
  const auto [it, fresh] = entries_.try_emplace(uid);
  if (fresh && to_renew_ > 0) ++to_renew_;  // it may stand before those whose turn is still to come
  Entry& entry = it->second;
  if (fresh || WaitsAnew(entry, job)) {
    entry.waits_from = now;
    entry.never_since = absl::InfiniteFuture();
  }
  const bool writes = entry.state == State::kStarting || entry.state == State::kStarted;
  const bool echo = writes && entry.version == job.resource_version;
  const bool readied = entry.was_unready && entry.group != 0 && job.MayStart();
  entry.job = job;
  if (entry.group != 0) plans_.SetMayStart(entry.group, job.MayStart());
  by_name_[FullName(job.owner)].insert(uid);
  if (echo) return;
  if (entry.state == State::kStarted) {
    if (!job.check && NoteLeft(entry)) LeaveGroup(entry);
    entry.problem.clear();  // what was told of its last run
  }
  if (readied) ForgetPause(now, entry);
  entry.not_before = std::max({entry.not_before, NotBefore(job, now), starts_.Until(uid)});
  entry.marked = true;
  entry.in_doubt = false;
  entry.attempt = 0;  // whatever is on its way was for another version
  entry.lost_since.reset();
  entry.refused = entry.doubts = 0;
  entry.suspend_from = absl::InfinitePast();
  entry.state = State::kWaits;
  if (job.check) check_due_.Set(uid, now + kFirstSaying);
  Renew(now, uid, entry, {});
  if (plans_.planning()) GiveGroups(now, 1);
}

// Its room came to nothing since it could not be started yet, and now it can: a JobSet whose Jobs
// were not there, say.
void SuspendedOwners::ForgetPause(absl::Time now, Entry& entry) {
  entry.fruitless = 0;
  entry.was_unready = false;
  entry.not_before = absl::InfinitePast();
  if (books_.queue.Paused(entry.group)) books_.queue.Pause(entry.group, now);
}

void SuspendedOwners::OnJobLeft(absl::Time now, std::string_view uid) {
  const auto it = entries_.find(uid);
  if (it == entries_.end()) return;
  Entry& entry = it->second;
  entry.marked = false;
  const bool over = entry.state == State::kStarted && entry.group == 0;
  if (entry.state == State::kWaits) NoteLeft(entry);
  if (entry.state == State::kWaits) return StartedElsewhere(now, it->first);
  if (over) Drop(uid);
}

// By another instance, or by hand: to be remembered as our own start is.
void SuspendedOwners::StartedElsewhere(absl::Time now, const std::string& uid) {
  if (!entries_.at(uid).job.check) starts_.NoteStart(now, uid);
  Drop(uid);
}

// Of one whose write is on its way that tells. What members hold ends with them; of those that
// never came nobody waits any more.
void SuspendedOwners::OnOwnerGone(std::string_view owner_key) {
  const std::string_view uid = UidOf(owner_key);
  const auto it = entries_.find(uid);
  if (it == entries_.end() || OwnerKey(it->second.job.owner.ns, uid) != owner_key) return;
  const State state = it->second.state;
  if (state == State::kStarted) NoteLeft(it->second);
  if (state == State::kStarted || state == State::kSuspending) Drop(uid);
}

void SuspendedOwners::OnAdmissionRule(const AdmissionRule& rule, bool stands) {
  if (admission_.Note(rule, stands)) to_renew_ = entries_.size();
}

void SuspendedOwners::OnObject(std::string_view ns) {
  const std::string from = NameInNamespace(ns, "");
  for (auto it = by_name_.lower_bound(from); it != by_name_.end(); ++it) {
    if (!it->first.starts_with(from)) return;
    for (const std::string& uid : it->second) {
      Entry& entry = entries_.at(uid);
      if (entry.state == State::kWaits && entry.group == 0 && entry.invalid) Pend(uid, entry);
    }
  }
}

// Of those that wait so many that the turn does not take long, in a circle: however often the rules
// change, each has its turn.
void SuspendedOwners::RenewSome(absl::Time now) {
  if (!plans_.planning()) return;
  for (size_t left = kForetoldAtOnce; left > 0 && to_renew_ > 0; --left, --to_renew_) {
    auto next = entries_.upper_bound(renewed_);
    if (next == entries_.end()) next = entries_.begin();
    if (next == entries_.end()) return void(to_renew_ = 0);
    renewed_ = next->first;
    Entry& entry = next->second;
    if (entry.state != State::kWaits) continue;
    std::optional<Templates> read;
    if (entry.group != 0) read = Read(entry.job);
    const bool same = read && read->problem.empty() && read->members == entry.told;
    if (!same) Renew(now, renewed_, entry, std::move(read));
  }
}

// As it is now it is to have a plan. One that has none is asked once more: it may lack its shape.
// `read`: what its templates say; nothing: they are to be read.
void SuspendedOwners::Renew(absl::Time now, const std::string& uid, Entry& entry,
                            std::optional<Templates> read) {
  Group* group = books_.groups.Find(entry.group);
  if (group == nullptr || !group->StaysEmpty()) {
    LeaveGroup(entry);
    return Pend(uid, entry);
  }
  if (group->start() == GroupStart::kComing && group->members().empty())
    group->SetStart(GroupStart::kSuspended);
  if (Pauses(now, uid, entry)) return;
  if (!read) read = Read(entry.job);
  const bool same =
      read->problem.empty() && IsPlaced(entry) && read->members == entry.told && !IsReady(entry);
  if (!same) return MakeGroup(now, uid, entry, *std::move(read));
  for (const Foretold& one : entry.told) plans_.SetFilter(*group, one.spec.pod_set, one.pod.filter);
  NoteWaits(now, entry, *group);
  Start(now, entry);
}

// ---- the line of those that wait for a group

// For people: "job team/train".
std::string SuspendedOwners::NameOf(const Entry& entry) {
  const OwnerFacts& owner = entry.job.owner;
  return fmt::format("{} {}", absl::AsciiStrToLower(owner.ref.kind), FullName(owner));
}

void SuspendedOwners::Rank(const std::string& uid, Entry& entry) {
  line_.Drop(entry.place);
  const OwnerFacts& owner = entry.job.owner;
  entry.place = {-int64_t{admission_.PriorityOf(entry.job)}, owner.created, FullName(owner), uid};
}

void SuspendedOwners::Pend(const std::string& uid, Entry& entry) {
  Rank(uid, entry);
  line_.Add(entry.place);
}

// What was seen before all was has its place by the classes that were known then.
bool SuspendedOwners::RankSome() {
  for (size_t left = kRankedAtOnce; ranked_ && left > 0; --left) {
    const auto next = entries_.upper_bound(*ranked_);
    if (next == entries_.end()) {
      ranked_.reset();
    } else {
      ranked_ = next->first;
      if (next->second.state == State::kWaits && next->second.group == 0)
        Pend(next->first, next->second);
    }
  }
  return !ranked_;
}

bool SuspendedOwners::JoinWaiting(absl::Time now) {
  if (!RankSome()) return false;
  GiveGroups(now, kForetoldAtOnce);
  return line_.empty();
}

// The book may have a place for those that it had none for.
void SuspendedOwners::Unpark() {
  const uint64_t version = books_.groups.room_version();
  const bool unused = std::exchange(unused_room_, false);
  const bool more = std::exchange(room_version_, version) != version;
  if (!line_.AnyParked() || (!more && !unused)) return;
  line_.Unpark(books_.groups.RoomForOwners(),
               [this](std::string_view ns) { return books_.groups.RoomForOwners(ns); });
}

void SuspendedOwners::GiveGroups(absl::Time now, size_t most) {
  for (; most > 0 && !line_.empty(); --most) {
    const std::string uid = *line_.Take();
    Entry& entry = entries_.at(uid);
    const bool wants = entry.state == State::kWaits && entry.group == 0;
    if (wants && !Pauses(now, uid, entry)) MakeGroup(now, uid, entry, Read(entry.job));
    const auto left = entries_.find(uid);  // it may need no group any more
    unused_room_ = unused_room_ || left == entries_.end() || left->second.group == 0;
  }
}

// ---- its group

// It is not to be started yet. A group tells why it waits, but for one that was placed for what it
// was.
bool SuspendedOwners::Pauses(absl::Time now, const std::string& uid, Entry& entry) {
  if (now >= entry.not_before) return false;
  if (IsPlaced(entry)) LeaveGroup(entry);
  due_.Set(uid, entry.not_before);
  if (starts_.Until(uid) == entry.not_before) TellPause(entry, starts_.Starts(uid));
  return true;
}

// All of it is one gang, whose pods come together.
bool SuspendedOwners::MayBePlanned(const Entry& entry, const Templates& read) {
  if (!read.problem.empty() || !read.one_gang || read.gated()) return false;
  const OwnerFacts& owner = entry.job.owner;
  return !owner.in_order && !owner.any_last() && !entry.job.begun &&
         (!owner.left || *owner.left >= read.members.front().spec.size());
}

// Gives it a group, or its group the template that it has now.
void SuspendedOwners::MakeGroup(absl::Time now, const std::string& uid, Entry& entry,
                                Templates read) {
  const bool planned = MayBePlanned(entry, read);
  if (IsReady(entry) && !planned) return Drop(uid);
  const bool spoke = std::exchange(entry.spoke, entry.spoke || read.speaks);
  if (read.foreign && (entry.job.check || spoke)) {
    LeaveGroup(entry);
    return StartUnplanned(now, uid, entry, read);
  }
  if (!read.problem.empty()) {
    LeaveGroup(entry);
    return Tell(entry, kGangInvalid,
                fmt::format("{} waits suspended for gangplan: {}", NameOf(entry), read.problem));
  }
  const Foretold& first = read.members.front();
  if (!planned) {
    LeaveGroup(entry);
    if (!first.spec.hold) return StartUnplanned(now, uid, entry, read);
    return Tell(entry, kGangWaiting,
                fmt::format("{} is held ({}: {})", NameOf(entry), kHoldWord, *first.spec.hold));
  }
  const absl::StatusOr<Group*> group = books_.groups.GroupForOwner(first.spec, first.pod);
  if (!group.ok()) return IsReady(entry) ? Drop(uid) : NoPlace(now, uid, entry, group.status());
  if (IsReady(entry)) return TakeReady(now, uid, entry, std::move(read), **group);
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
  plans_.SetMayStart(id, entry.job.MayStart());
  plans_.Foretell(**group, entry.told);
  NoteWaits(now, entry, **group);
}

// For its ladder: since it was suspended last.
void SuspendedOwners::NoteWaits(absl::Time now, const Entry& entry, Group& group) {
  const int64_t since = std::max(entry.job.owner.created, entry.job.suspended_since);
  group.NoteWaits(since > 0 ? absl::FromUnixSeconds(since) : now);
}

// Its namespace, or gangplan, can have no more groups of its kind: it has its turn when others have
// ended. Where only its members are too many that is asked again after a while, since fewer may be
// enough for others; where they are too many alone, when it has fewer.
void SuspendedOwners::NoPlace(absl::Time now, const std::string& uid, Entry& entry,
                              const absl::Status& why) {
  LeaveGroup(entry);
  std::string told =
      fmt::format("{} waits suspended for gangplan: {}", NameOf(entry), Message(why));
  if (absl::IsInvalidArgument(why)) return Tell(entry, kGangInvalid, std::move(told));
  told += "; it has its turn when others of them are started or deleted";
  if (told != entry.problem) books_.groups.CountRefused();
  if (books_.groups.RoomForOwners(entry.job.owner.ns) == 0) {
    Rank(uid, entry);
    line_.Park(entry.place);
  } else {
    due_.Set(uid, now + kClaimRetry);
  }
  Tell(entry, kGangWaiting, told);
}

// Without members it is of no use to anybody; with some it ends with them.
void SuspendedOwners::LeaveGroup(Entry& entry) {
  const GroupId id = std::exchange(entry.group, 0);
  by_group_.erase(id);
  Group* group = books_.groups.Find(id);
  if (group == nullptr) return;
  if (group->members().empty()) return plans_.Erase(id);
  if (!group->StaysEmpty()) return;
  // Those of Kueue are never suspended by us.
  group->SetStart(entry.job.check ? GroupStart::kByItself : GroupStart::kStarted);
  plans_.AskAnew(id);
}

void SuspendedOwners::Drop(std::string_view uid) {
  const auto it = entries_.find(uid);
  if (it == entries_.end()) return;
  Entry& entry = it->second;
  LeaveGroup(entry);
  books_.owners.ForgetForetold(OwnerKey(entry.job.owner.ns, uid));
  line_.Drop(entry.place);
  due_.Clear(it->first);
  check_due_.Clear(it->first);
  if (const auto named = by_name_.find(FullName(entry.job.owner)); named != by_name_.end()) {
    named->second.erase(it->first);
    if (named->second.empty()) by_name_.erase(named);
  }
  for (GroupId id : books_.groups.OfOwner(uid)) left_.insert(id);
  entries_.erase(it);
}

bool SuspendedOwners::IsPlaced(const Entry& entry) const {
  const Group* group = books_.groups.Find(entry.group);
  return group != nullptr && group->suspended() && group->planned() &&
         group->In(SlotState::kHeld) == group->size();
}

}  // namespace gangplan
