// Owners that Kueue starts, and that wait for admission checks of ours before.
#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/pod_sets.h"
#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "extender/planner/suspended_owners.h"
#include "extender/planner/write_errors.h"
#include "fmt/format.h"
#include "topology/base/text.h"
#include "topology/base/utf8.h"

namespace gangplan {
namespace {

using CheckIs = RoomCheck::State;

// But for what is said of it, and so its version.
bool SameButTold(JobFacts before, const JobFacts& job) {
  before.resource_version = job.resource_version;
  before.check->message = job.check->message;
  return before == job;
}

}  // namespace

// It has room by what its checks say: ours, or of one of us who was here before.
bool SuspendedOwners::IsReady(const Entry& entry) {
  return entry.job.check && entry.job.check->state == CheckIs::kReady;
}

// True: that was all. An owner with our mark as well is started by that.
bool SuspendedOwners::OnChecked(absl::Time now, const JobFacts& job) {
  const std::string& uid = job.owner.ref.uid;
  const auto it = entries_.find(uid);
  const bool known = it != entries_.end();
  if (known && !it->second.job.check) return true;
  const bool waits = known && it->second.state == State::kWaits;
  switch (job.check->state) {
    case CheckIs::kNone:
      if (known) LetGo(uid);
      return true;
    case CheckIs::kLost:
      if (waits) {
        LetGo(uid);
      } else if (known) {
        it->second.marked = false;
      }
      return true;
    case CheckIs::kReady:
      if (!known || waits) return false;
      it->second.marked = false;
      it->second.job.check = job.check;
      it->second.job.resource_version = job.resource_version;
      return true;
    case CheckIs::kWaits:
      return waits && OnlyToldAnew(now, it->second, job);
  }
  return true;
}

bool SuspendedOwners::OnlyToldAnew(absl::Time now, Entry& entry, const JobFacts& job) {
  const Group* group = books_.groups.Find(entry.group);
  const bool tried = group != nullptr && !group->suspended();  // to start it, in a version before
  if (tried || !SameButTold(entry.job, job)) return false;
  entry.job = job;
  check_due_.SetEarlier(job.owner.ref.uid, std::max(now, entry.say_from));
  Start(now, entry);  // for this version
  return true;
}

// With another quota than before, or with one that it has run with: it was not seen between.
bool SuspendedOwners::WaitsAnew(const Entry& entry, const JobFacts& job) {
  const bool another =
      job.check && entry.job.check && job.check->quota_since != entry.job.check->quota_since;
  return another || entry.state == State::kStarted;
}

// Pods that come together are more than its Workload has quota for: they would wait for those that
// never come. Of one that has ended in part the rest comes by itself. Empty: they are not.
std::string SuspendedOwners::WhatLacksQuota(const JobFacts& job, const GroupSpec& spec) {
  const OwnerFacts& owner = job.owner;
  const bool more = owner.pod_sets.empty() && owner.size && spec.size() > *owner.size;
  if (!more || (owner.left && *owner.left < spec.size())) return {};
  return fmt::format("it is a gang of {}, and Workload {} has quota for {} of its pods",
                     spec.size(), job.check->workload, *owner.size);
}

// Kueue has taken its quota, and its pods, or it has ended: what is left of it is of nobody's
// start.
void SuspendedOwners::LetGo(std::string_view uid) {
  for (GroupId id : books_.groups.OfOwner(uid)) {
    Group* group = books_.groups.Find(id);
    if (!group->members().empty()) group->SetStart(GroupStart::kByItself);
  }
  Drop(uid);
}

// One that was said to have room before a restart, or by another instance: its room is held again
// where its pods may go.
void SuspendedOwners::TakeReady(absl::Time now, const std::string& uid, Entry& entry,
                                Templates read, Group& group) {
  const GroupId id = group.id();
  if (entry.group != id) LeaveGroup(entry);
  entry.group = id;
  entry.told = std::move(read.members);
  by_group_[id] = uid;
  entry.marked = false;
  entry.state = State::kStarted;
  books_.owners.Foretell(entry.job.owner);
  if (!group.members().empty()) {
    if (group.start() == GroupStart::kByItself) group.SetStart(GroupStart::kStarted);
    return;
  }
  if (RunsStill(entry)) return Drop(uid);  // its pods are those of another start
  plans_.Foretell(group, entry.told);
  group.SetStart(GroupStart::kComing);
  group.NoteStartedWith(group.size());
  NoteWaits(now, entry, group);
  due_.Set(uid, now + kOwnerReadAfter);
}

// Another instance has said first that it has room: it is kept for its pods, by a plan of our own,
// where those may go.
void SuspendedOwners::TakeOver(absl::Time now, const std::string& uid, Entry& entry) {
  entry.marked = true;
  Renew(now, uid, entry, {});
}

// Each pod set that one domain holds is told to stay there; what has several, or none with labels,
// is led by our own answers alone. To where, for people.
std::string SuspendedOwners::PinCheck(const Entry& entry, Group& group, CheckWrite& write) const {
  std::string told;
  for (const Foretold& one : entry.told) {
    const std::vector<NodeIndex> nodes = group.HeldNodes(one.spec.pod_set);
    const PodSet& set = group.pod_sets().at(one.spec.pod_set);
    const LevelRules rules = OwnOver(set.own_rules, set.rules);
    const TopologyIndex topology = group.topology();
    DomainLabels domain = DomainOf(
        books_.ledger.model(),
        {one.pod.filter, rules, nodes, group.size(), PinsOf(group).levels_on_nodes, {}, topology});
    NodeFilter filter = one.pod.filter;
    std::erase_if(domain.labels, [&](const auto& label) {
      return FindLabel(filter.node_selector, label.first) != nullptr;
    });
    for (const auto& [key, value] : domain.labels) SetLabel(filter.node_selector, key, value);
    plans_.SetFilter(group, one.spec.pod_set, filter);
    if (told.empty()) told = domain.told;
    if (!domain.labels.empty())
      write.updates.push_back({entry.job.check->pod_sets[one.index].name, domain.labels});
  }
  return told;
}

JobWrite SuspendedOwners::WriteOf(const Entry& entry, CheckState state, std::string message) {
  const RoomCheck& check = *entry.job.check;
  JobWrite write;
  write.ns = entry.job.owner.ns;
  write.job = entry.job.owner.ref;
  write.resource_version = entry.job.resource_version;
  write.check =
      CheckWrite{check.workload, check.uid, check.names, state, CutUtf8(message, kMaxSaidBytes)};
  write.check->standing = check.standing;
  return write;
}

// ---- what its check says meanwhile

// Why it waits; or that it gives its quota back, since it can never go, or others shall have it.
void SuspendedOwners::LookAtCheck(absl::Time now, const std::string& uid) {
  const auto it = entries_.find(uid);
  if (it == entries_.end()) return;
  Entry& entry = it->second;
  const bool waits = entry.state == State::kWaits || entry.state == State::kStarting;
  if (!entry.job.check || IsReady(entry) || !waits) return;
  check_due_.Set(uid, now + kSayEvery);
  if (entry.state != State::kWaits || IsPlaced(entry)) return;
  if (!plans_.planning() || !books_.outbox.active()) return;
  const Group* group = books_.groups.Find(entry.group);
  // Where there is no node at all, nothing is known of what there will be.
  const bool never = group != nullptr && group->verdict().decided &&
                     group->verdict().outcome == Outcome::kImpossible &&
                     !group->pod_sets().RungsLeft() &&
                     books_.ledger.model().tree(group->topology()).leaf_count() > 0;
  entry.never_since = never ? std::min(entry.never_since, now) : absl::InfiniteFuture();
  std::string why =
      CutUtf8(group == nullptr ? WhyItWaits(entry) : group->verdict().reason, kMaxSaidBytes);
  const absl::Time never_from =
      std::max(entry.never_since + options_.check_reject_after, entry.back_from);
  const absl::Time back_from =
      std::max(entry.waits_from + options_.check_patience, entry.back_from);
  if (now >= never_from) return GiveQuotaBack(entry, CheckState::kRejected, std::move(why));
  // What seems impossible may be so until its nodes have come: it is not offered for less.
  if (!never && now >= back_from) return GiveQuotaBack(entry, CheckState::kRetry, std::move(why));
  check_due_.SetEarlier(uid, never ? never_from : back_from);
  if (entry.saying != 0 || why.empty() || why == entry.job.check->message) return;
  if (now < entry.say_from) return check_due_.SetEarlier(uid, entry.say_from);
  Say(now, entry, std::move(why));
}

void SuspendedOwners::Say(absl::Time now, Entry& entry, std::string message) {
  JobWrite write = WriteOf(entry, CheckState::kPending, std::move(message));
  write.attempt = entry.saying = ++attempts_;
  entry.say_from = now + kSayEvery;
  books_.outbox.Push(std::move(write));
}

// What was not said is said when it is looked at again.
void SuspendedOwners::Said(absl::Time now, const std::string& uid, Entry& entry,
                           const absl::Status& status) {
  entry.saying = 0;
  if (status.ok()) return void(entry.unsaid = 0);
  entry.say_from = now + AfterFailure(entry, status);
  check_due_.SetEarlier(uid, entry.say_from);
}

// How long to wait before the next write of its check, longer each time.
absl::Duration SuspendedOwners::AfterFailure(Entry& entry, const absl::Status& status) {
  if (WasRefused(status)) {
    Tell(entry, kGangWaiting,
         fmt::format("{}: its admission check cannot be written: {}", NameOf(entry),
                     Message(status)));
  }
  return SolveQueue::PauseAfter(kJobWriteRetry, entry.unsaid++, kMaxJobWriteRetry);
}

// Of one that was Ready whatever its version is by now, else only while it is as it was seen. With
// a pause in it (requeueAfterSeconds) Kueue would keep the quota until that is over; without one it
// offers it to others at once.
void SuspendedOwners::GiveQuotaBack(Entry& entry, CheckState state, std::string why) {
  const bool waits = entry.state == State::kWaits;
  JobWrite write = WriteOf(entry, state, std::move(why));
  write.suspend = true;
  if (waits) {
    LeaveGroup(entry);
  } else {
    write.resource_version.clear();
  }
  entry.marked = waits;
  Write(entry, std::move(write), State::kSuspending);
}

// It had no room, and said so: the watch shows what becomes of it.
void SuspendedOwners::GaveBack(absl::Time now, const std::string& uid, Entry& entry,
                               const absl::Status& status) {
  if (status.ok()) return;
  if (absl::IsNotFound(status)) return Drop(uid);
  entry.back_from = now + AfterFailure(entry, status);
  check_due_.Set(uid, entry.back_from);
  WaitAgain(uid, entry);
}

// It is as it was seen last, for all that is known.
void SuspendedOwners::WaitAgain(const std::string& uid, Entry& entry) {
  LeaveGroup(entry);
  entry.state = State::kWaits;
  entry.marked = true;
  Pend(uid, entry);
}

}  // namespace gangplan
