#include "extender/planner/roster.h"

#include <algorithm>

#include "extender/frontends/limits.h"
#include "extender/frontends/owner.h"
#include "extender/planner/gate_pin.h"
#include "extender/planner/limits.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/plan_words.h"

namespace gangplan {
namespace {

// It may still be nominated, and bound.
bool Waits(const PodFacts& pod) {
  return pod.node_name.empty() && !pod.finished() && !pod.terminating;
}

}  // namespace

void Roster::OnPod(absl::Time now, const PodFacts& pod) {
  if (books_.pods.Buried(pod.uid)) return;
  if (!WasReleased(pod) || pod.gated() || MayHaveReleased(pod.uid)) return Take(now, pod);
  books_.pods.Note(pod).never_released = true;
  Take(now, NotReleased(pod));
}

void Roster::Take(absl::Time now, const PodFacts& pod) {
  KnownPod& record = books_.pods.Note(pod);
  record.never_released |= !pod.gated() && !WasReleased(pod);
  record.asked |= loading_;
  books_.pods.Confirm(pod.uid);
  record.foreseen = false;
  NoteShown(record, pod);
  if (!pod.gated() || pod.terminating) books_.left.Forget(pod.uid);
  const std::string counted = RecordUsage(pod, record);
  if (record.group == 0) {
    Judge(now, pod);
  } else {
    UpdateMember(now, record, pod);
  }
  NoteEnd(now, pod);
  // Whatever became of its group, it takes its room from all who hold there.
  const NodeIndex node = books_.ledger.model().FindNode(counted);
  if (node != kNoNode) plans_.CheckNode(node);
}

// Where the watch has shown it.
NodeIndex Roster::NodeOf(std::string_view uid, const KnownPod& record) const {
  return record.bound ? books_.ledger.NodeOf(uid) : kNoNode;
}

// A Binding that we wrote counts from its 201 on, before the watch shows it; one whose pod has left
// its group counts from its POST on. That of a member is a hold until then. Returns the node where
// it counts; empty: on none.
std::string Roster::RecordUsage(const PodFacts& pod, KnownPod& record) {
  if (pod.finished()) books_.refusals.Disturb(NodeOf(pod.uid, record));
  record.bound = !pod.node_name.empty() && !pod.finished();
  record.leaving = pod.finished() || pod.terminating;
  books_.pods.NoteStopping(pod.uid, record.bound && pod.terminating);
  const std::string own = OwnNodeOf(pod);
  if (!pod.node_name.empty() || record.leaving) {
    record.pledge.clear();
  } else if (settings_.pledges && !own.empty() && !pod.gated() && NamesUs(pod, options_)) {
    record.going = false;
    plans_.SetPledge(pod.uid, record, own);
  }
  if (!pod.node_name.empty()) {
    const bool there = books_.desk.NodeOf(pod.uid) == pod.node_name;
    if (record.group == 0)
      books_.desk.Answer(pod.uid,
                         there ? "" : fmt::format("the pod is bound to {}", pod.node_name));
    books_.desk.Forget(pod.uid);
  }
  std::string node = record.bound ? pod.node_name : "";
  const BindingAttempt* attempt = books_.desk.AttemptOf(pod.uid);
  if (node.empty() && !pod.finished() && attempt != nullptr &&
      !(record.group != 0 && attempt->open()))
    node = attempt->node;
  if (node.empty() && !record.pledge.empty()) {
    plans_.KeepPledge(pod.uid, record);
  } else if (node.empty()) {
    books_.ledger.ErasePod(pod.uid);
  } else {
    books_.ledger.PutPod(pod.uid, node, pod.requests, record.profile);
  }
  return node;
}

// It says nothing of a group, and no setting makes one of it.
bool Roster::IsPlain(const PodFacts& pod) const {
  const bool job = options_.all_jobs && pod.controller && pod.controller->kind == "Job";
  return !job && !SpeaksOfGroup(pod) && !BoundByPlan(pod);
}

// Only a pod that may still start, or that we bound, is worth the question.
void Roster::Judge(absl::Time now, const PodFacts& pod) {
  const bool bound = !pod.node_name.empty();
  const bool ours = BoundByPlan(pod) || SpeaksOfGroup(pod);
  const bool ran = pod.phase == PodPhase::kSucceeded && BoundByPlan(pod);
  KnownPod& record = books_.pods.At(pod.uid);
  TakeController(record, pod);
  books_.pods.SetKin(record, Kin::kForeign);
  books_.owners.StopWaiting(record.owner_key, pod.uid);
  to_join_.erase({record.created, pod.uid});
  unbound_.erase(pod.uid);
  if ((pod.finished() && !ran) || pod.terminating || (bound && !ours)) return;
  if (pod.gated() && !WaitForUs(pod.gates, settings_.gates)) return LeaveToOthers(now, pod);
  if (!pod.fault.empty()) return;  // nobody knows what its words are
  const bool failing = books_.owners.Failing(record.owner_key);
  const GroupSpec spec = ReadSpec(pod, record, failing);
  if (spec.kind == GroupSpec::Kind::kForeign) {
    if (bound) NotePair(pod);
    if (!bound && NamesUs(pod, options_)) books_.pods.SetKin(record, Kin::kAlone);
    if (failing && !bound) books_.owners.Wait(pod);
    // Anybody may write that a pod was released to a node.
    if (!failing && !record.going) plans_.SetPledge(pod.uid, record, {});
    if (pod.gated()) LeaveForeign(now, pod);
  } else if (spec.kind == GroupSpec::Kind::kNeedsOwner) {
    books_.pods.SetKin(record, Kin::kWaitsForOwner);
    books_.owners.Wait(pod);
    if (pod.gated()) LeaveUnread(now, pod);
  } else if (pod.node_name.empty() && books_.desk.AttemptOf(pod.uid) != nullptr) {
    unbound_[pod.uid] = pod;  // it was foreign when its Binding was written
  } else {
    Join(now, pod, spec);
  }
}

// Finished Jobs may stay for days: where its namespace is at its limit groups that have ended make
// place.
absl::StatusOr<Group*> Roster::PlaceFor(const PodFacts& pod, const GroupSpec& spec) {
  absl::StatusOr<Group*> group = books_.groups.GroupFor(spec, pod);
  if (group.ok()) return group;
  const std::vector<GroupId> ended = books_.groups.PlaceBy(spec);
  for (GroupId id : ended) ForgetEnded(id);
  return ended.empty() ? group : books_.groups.GroupFor(spec, pod);
}

Group* Roster::GroupFor(absl::Time now, const PodFacts& pod, const GroupSpec& spec) {
  const absl::StatusOr<Group*> group = PlaceFor(pod, spec);
  if (group.ok()) return *group;
  books_.groups.CountRefused();
  KnownPod& record = books_.pods.At(pod.uid);
  books_.pods.SetKin(record, Kin::kClaimRefused);
  record.text = std::make_unique<std::string>(Message(group.status()));
  if (pod.gated()) LeaveRefused(now, pod, spec, group.status());
  return nullptr;
}

void Roster::ForgetEnded(GroupId id) {
  const Group& group = *books_.groups.Find(id);
  if (group.owner() && IsKnownByName(group.owner()->uid)) books_.owners.Expire(OwnerKeyOf(group));
  for (const auto& [uid, member] : group.members()) {
    plans_.ForgetMember(uid);
    books_.waker.Forget(uid);
  }
  plans_.Erase(id);
}

// It has run, and its name is that of others by now, who have not begun: whose part it was is over.
bool Roster::IsOfRunBefore(const PodFacts& pod, const GroupSpec& spec) {
  const Group* group = pod.finished() ? books_.groups.FindByKey(spec.key) : nullptr;
  if (group == nullptr || !spec.key.incarnation.empty()) return false;
  const std::string maker = MakerUidOf(pod);
  return group->AnyLive() && !group->Started() && (maker.empty() || !group->HadPodsOf(maker));
}

void Roster::Join(absl::Time now, const PodFacts& pod, const GroupSpec& spec) {
  if (loading_ && pod.node_name.empty() && !pod.finished()) {
    to_join_[{books_.pods.At(pod.uid).created, pod.uid}] = pod;
    return;
  }
  if (AwaitsNextRun(now, pod, spec) || IsOfRunBefore(pod, spec)) return;
  Group* found = GroupFor(now, pod, spec);
  if (found == nullptr) return;
  Group& group = *found;
  KnownPod& record = books_.pods.At(pod.uid);
  record.group = group.id();
  books_.kueue.NoteMember(pod.uid, true);
  if (settings_.keep_facts || pod.node_name.empty()) record.facts = std::make_unique<PodFacts>(pod);
  record.text = pod.host.empty() ? nullptr : std::make_unique<std::string>(pod.host);
  TakeOwner(group, pod, spec);
  group.NoteCreated(pod.created);
  const bool was_held = group.hold() != nullptr;
  const bool news = group.Add(pod, spec, now);
  if (group.hold() != nullptr && !group.Started()) TakeHold(group, was_held);
  books_.groups.CountClaim(group);
  books_.waker.Saw(pod.uid, Waits(pod) ? pod.nominated_node_name : "");
  if (pod.gated()) group.SetGoing(pod.uid, record.going);
  plans_.NoteWords(record, pod);
  if (group.owner()) recheck_.SetEarlier(group.id(), now + kOwnerRecheck);
  if (!group.Find(pod.uid)->sound()) {
    books_.lifecycle.Touch(group.id());  // its owner is told why
    if (pod.gated()) LeaveUnsound(now, pod, group);
    if (group.owner()) books_.owners.ReadAgain(OwnerKeyOf(group), now + kOwnerReadAfter);
    plans_.NoteWhole(group);
    return;
  }
  books_.left.Forget(pod.uid);
  if (group.TakeRepinned()) plans_.Repinned(group);
  if (news) plans_.Retold(group, group.Find(pod.uid)->pod_set);
  if (!pod.node_name.empty()) plans_.Bound(group, pod);
  if (pod.node_name.empty()) plans_.PassOver(group);
  books_.yielding.NoteMarkOf(pod, books_.outbox.active());
  for (const std::string& uid : plans_.SeatMembers(group)) joined_.push_back(uid);
  if (news) books_.lifecycle.Fire(group.id(), GroupEvent::kCapacityGained);
  books_.lifecycle.Fire(group.id(), GroupEvent::kMembersChanged);
  books_.vacant.Count(group, books_.ledger);
  plans_.NoteWhole(group);
  if (group.owner() && (group.slotless() > 0 || group.live() > group.claimed()))
    books_.owners.ReadAgain(OwnerKeyOf(group), now + kOwnerReadAfter);
  if (pod.finished()) Finished(now, group, pod);
  NoteEnd(now, pod);
  FollowOwner(now, record.group);
}

bool Roster::JoinWaiting(absl::Time now) {
  loading_ = false;
  for (size_t joined = 0; joined < kJoinedAtOnce && !to_join_.empty(); ++joined) {
    Judge(now, PodFacts(std::move(to_join_.begin()->second)));
    plans_.round().Spend(kJoinWork);
  }
  if (to_join_.empty()) DropSpareSlots();
  return to_join_.empty();
}

void Roster::NominateJoined() {
  for (const std::string& uid : std::exchange(joined_, {})) {
    const KnownPod* record = books_.pods.Find(uid);
    const Group* group = record == nullptr ? nullptr : books_.groups.Find(record->group);
    if (group != nullptr) books_.nominations.Send(*group, uid);
  }
}

// ---- what the watch shows of members

void Roster::UpdateMember(absl::Time now, KnownPod& record, const PodFacts& pod) {
  Group& group = *books_.groups.Find(record.group);
  const bool waits = Waits(pod);
  books_.waker.Saw(pod.uid, waits ? pod.nominated_node_name : "");
  if (settings_.keep_facts && !waits) KeepFacts(record, pod);
  if (group.Find(pod.uid)->finished) return;
  if (pod.finished()) {
    Finished(now, group, pod);
  } else if (pod.terminating) {
    LeaveGroup(now, group.id(), pod.uid, "is being deleted");
  } else if (!pod.node_name.empty()) {
    if (!settings_.keep_facts) record.facts.reset();
    if (!group.Find(pod.uid)->sound()) return;
    plans_.Bound(group, pod);
    if (group.sizing().at_least) FollowOwner(now, record.group);
    books_.yielding.NoteMarkOf(pod, books_.outbox.active());
  } else {
    UpdateWaiting(now, record, pod);
  }
}

// A gate goes once and for all: a pod that is shown with one after that is shown as it was. True:
// that was all.
bool Roster::UpdateGate(absl::Time now, KnownPod& record, const PodFacts& pod) {
  Group& group = *books_.groups.Find(record.group);
  const Member& member = *group.Find(pod.uid);
  if (member.gated == pod.gated()) return false;
  if (!member.gated) return true;
  const auto* pin = SharedPinOf(pod);
  const bool elsewhere =
      member.sound() && pin != nullptr && *pin != group.pod_sets().at(member.pod_set).pin;
  const bool open = books_.desk.AttemptOf(pod.uid) != nullptr;
  if (elsewhere && !open && group.stale().empty()) {
    Rejoin(now, pod);
    return true;
  }
  if (elsewhere && open) changed_.insert(pod.uid);
  group.SetUngated(pod.uid, WasReleased(pod), OwnNodeOf(pod));
  plans_.NoteGates(group);
  if (member.sound()) books_.nominations.Send(group, pod.uid);
  return false;
}

void Roster::UpdateWaiting(absl::Time now, KnownPod& record, const PodFacts& pod) {
  if (UpdateGate(now, record, pod)) return;
  Group& group = *books_.groups.Find(record.group);
  const bool open = books_.desk.AttemptOf(pod.uid) != nullptr;
  const bool same = record.facts == nullptr || SaysTheSame(*record.facts, pod);
  record.facts = std::make_unique<PodFacts>(pod);
  plans_.NoteWords(record, pod);
  if (!same && group.stale().empty() && !open) return Rejoin(now, pod);
  if (!same && (group.stale().empty() || IsBeingMade(group.id()))) changed_.insert(pod.uid);
  const Member& member = *group.Find(pod.uid);
  if (member.in_bind || !books_.nominations.MayGo(group, member)) return;
  const std::string& node = books_.ledger.model().NodeName(group.slot(member.slot).node);
  if (books_.waker.Watch(now, pod.uid, node)) plans_.RenewNomination(now, pod.uid);
}

GroupSpec Roster::SpecOf(const PodFacts& pod) const {
  const std::string_view uid = books_.pods.At(pod.uid).owner_key;
  return FindGroup(pod, books_.owners.FactsOrWhy(uid), books_.owners.Known(uid), options_);
}

bool Roster::SaysTheSame(const PodFacts& before, const PodFacts& pod) const {
  const bool words = before.labels == pod.labels && before.annotations == pod.annotations;
  if (before.requests != pod.requests || OwnFilterOf(before) != OwnFilterOf(pod)) return false;
  // What never changes, unless it was made up before the watch has shown the pod.
  if (before.priority != pod.priority || before.scheduler_name != pod.scheduler_name ||
      before.controller != pod.controller || before.scheduling_group != pod.scheduling_group)
    return false;
  return words || SpecOf(before) == SpecOf(pod);
}

// One that has succeeded stays a member until it is deleted, so that a replacement of another one
// still finds a group that runs. One that has failed is replaced or not: its slot is vacant.
void Roster::Finished(absl::Time now, Group& group, const PodFacts& pod) {
  const Member& member = *group.Find(pod.uid);
  const bool ran = pod.phase == PodPhase::kSucceeded && !pod.node_name.empty();
  if (!member.sound() && ran) return;  // it counts when its words can be read again
  if (!ran || member.slot < 0) {
    LeaveGroup(now, group.id(), pod.uid, "has finished");
  } else {
    plans_.Finished(group, pod);
    RejudgeUntold(now);
  }
}

void Roster::LeaveGroup(absl::Time now, GroupId group, const std::string& uid,
                        std::string_view why) {
  books_.yielding.ForgetMarkOf(uid);
  const Group& before = *books_.groups.Find(group);
  const bool held = before.hold() != nullptr;
  const bool part = before.owner() && before.sizing().list == OwnersList::kPart;
  const std::string owner = part ? OwnerKeyOf(before) : "";
  plans_.Leave(now, group, uid, why);
  // Other pods of its owner may keep what that has said, and those that come next may be more.
  if (part && books_.groups.Find(group) == nullptr)
    books_.owners.ReadAgain(owner, now + kOwnerReadAfter);
  const Group* left = held ? books_.groups.Find(group) : nullptr;
  if (left != nullptr && left->hold() == nullptr) plans_.AskAnew(group);
  FollowOwner(now, group);
  RejudgeUntold(now);
}

void Roster::OnPodDeleted(absl::Time now, std::string_view uid) {
  books_.pods.Bury(uid);
  ForgetPod(now, std::string(uid));
}

void Roster::ForgetPod(absl::Time now, const std::string& uid) {
  KnownPod* record = books_.pods.Find(uid);
  if (record != nullptr) record->pledge.clear();
  if (record != nullptr && record->group != 0) LeaveGroup(now, record->group, uid, "was deleted");
  const NodeIndex node = record == nullptr ? kNoNode : NodeOf(uid, *record);
  books_.ledger.ErasePod(uid);
  if (record == nullptr) return;
  books_.refusals.Disturb(node);
  const std::string_view owner_key = record->owner_key;
  to_join_.erase({record->created, uid});
  unbound_.erase(uid);
  books_.left.Forget(uid);
  books_.desk.Answer(uid, "the pod was deleted");
  books_.desk.Forget(uid);
  books_.waker.Forget(uid);
  books_.yielding.ForgetOwnMark(uid);
  books_.pods.Erase(uid);
  books_.owners.DropUser(owner_key, uid);
}

void Roster::Tick(absl::Time now) {
  RejoinChanged(now);
  RejudgeUntold(now);
  JudgeLeft(now);
  TellLeft(now);
  for (const std::string& uid : books_.pods.TakeUnconfirmed(now)) {
    const bool open = books_.desk.CallOf(uid) != nullptr || books_.desk.AttemptOf(uid) != nullptr;
    if (open) books_.pods.AwaitConfirmation(uid, now + kUnconfirmedFor);
    if (!open) ForgetPod(now, uid);
  }
  RecheckOwners(now);
}

}  // namespace gangplan
