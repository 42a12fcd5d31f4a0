// Members: how slots, holds and calls stay in step.
#include <algorithm>

#include "algorithms/rank_units.h"
#include "extender/planner/limits.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/plan_words.h"
#include "extender/planner/plans.h"
#include "fmt/format.h"

namespace gangplan {
namespace {

// By pod set: so many slots are those of members that have succeeded.
std::vector<int32_t> FinishedOf(const Group& group) {
  std::vector<int32_t> finished(group.pod_sets().sets().size());
  for (int32_t i = 0; i < static_cast<int32_t>(group.slots().size()); ++i) {
    if (group.slot(i).state == SlotState::kFinished)
      ++finished[static_cast<size_t>(group.pod_sets().IndexOf(i))];
  }
  return finished;
}

}  // namespace

void Plans::RenewNomination(absl::Time now, const std::string& uid) {
  if (!books_.nominations.Renew(now, uid))
    MoveSlot(*books_.groups.Find(books_.pods.At(uid).group), uid);
}

// ---- members

void Plans::SeatAndSend(Group& group) {
  for (const std::string& uid : SeatMembers(group)) books_.nominations.Send(group, uid);
}

std::vector<std::string> Plans::SeatMembers(Group& group) {
  const bool began = group.AnyRuns();
  std::vector<std::string> seated = group.AssignSlots();
  const size_t all = seated.size();
  for (const std::string& uid : seated) {
    books_.waker.Reset(uid);
    // Room that was held for whoever comes is there beside its own.
    if (IsPledged(group, group.Find(uid)->slot)) books_.ledger.ErasePod(uid);
    KeepPledge(uid, books_.pods.At(uid));
  }
  std::erase_if(seated, [&](const std::string& uid) {
    if (!books_.pods.At(uid).bound) return false;
    const int32_t slot = group.Find(uid)->slot;
    if (group.slot(slot).taken()) books_.ledger.Release({group.id(), slot});
    group.SetBound(slot, books_.ledger.NodeOf(uid));
    books_.pods.NoteSeated(uid);
    NoteEnd(books_.pods.At(uid), uid);
    group.ForgetRefusals(uid);
    NoteRun(group, group.Find(uid)->pod_set);
    return true;
  });
  if (seated.size() < all) {
    if (!began) PostAwaited(group);
    books_.lifecycle.Fire(group.id(), GroupEvent::kMembersChanged);
  }
  return seated;
}

void Plans::Finished(Group& group, const PodFacts& pod) {
  const std::string& uid = pod.uid;
  const int32_t slot = group.Find(uid)->slot;
  if (group.slot(slot).taken()) {
    const bool there = books_.ledger.model().NodeName(group.slot(slot).node) == pod.node_name;
    DropCall(group, uid, there ? "" : "the pod has run on another node");
    books_.ledger.Release({group.id(), slot});
    group.SetEmpty(slot);
  }
  const bool began = group.AnyRuns();
  group.Finish(uid);
  if (!began) PostAwaited(group);
  NoteRun(group, group.Find(uid)->pod_set);
  books_.waker.Forget(uid);
  const std::vector<std::string> seated = SeatMembers(group);
  for (const std::string& other : seated) books_.nominations.Send(group, other);
  books_.lifecycle.Fire(group.id(), GroupEvent::kFinished);
  if (Mended(group)) books_.lifecycle.Fire(group.id(), GroupEvent::kSlotLost);
  if (!seated.empty()) books_.lifecycle.Fire(group.id(), GroupEvent::kMembersChanged);
  PassOver(group);
}

// The Binding may still land: until it is settled the room counts as the pod's own. Where the watch
// has shown what became of it, the pod counts as that says.
void Plans::LeaveWhilePosting(Group& group, int32_t slot, const std::string& uid) {
  const std::string node = books_.ledger.model().NodeName(group.slot(slot).node);
  books_.ledger.Release({group.id(), slot});  // with it a node may be forgotten that is gone
  group.SetEmpty(slot);
  if (books_.desk.AttemptOf(uid) == nullptr) return;
  const KnownPod& record = books_.pods.At(uid);
  books_.ledger.PutPod(uid, node, *record.requests, record.profile);
  CheckNode(books_.ledger.model().FindNode(node));  // it may ask for more than its room was
}

// One member of the set waits no more.
void Plans::NoteRun(Group& group, int32_t pod_set) {
  if (group.Started()) victims_search_.NoteStarted(group);
  if (group.AnyUnsound() && group.pod_sets().at(pod_set).provisional) MarkUntold(group);
}

void Plans::MarkUntold(Group& group) {
  group.MarkUntold();
  untold_.insert(group.id());
}

void Plans::DropShapes(Group& group) {
  for (ShapeId shape : group.TakeDroppedShapes()) books_.ledger.ReleaseShape(shape);
}

void Plans::ForgetTemplates(Group& group) {
  if (!group.ForgetTemplates()) return;
  DropShapes(group);
  books_.groups.CountClaim(group);
  books_.lifecycle.Fire(group.id(), GroupEvent::kCapacityGained);
  MarkUntold(group);
}

void Plans::ForgetMember(std::string_view uid) {
  KnownPod& record = books_.pods.At(uid);
  if (books_.yielding.EvictedFor(record.group) != nullptr) books_.kueue.NoteGivesWay(uid);
  record.group = 0;
  record.text.reset();
  record.facts.reset();
  books_.kueue.NoteMember(uid, false);
}

// A held slot stays held for a replacement until its end; a bound one is given up.
void Plans::Leave(absl::Time now, GroupId id, const std::string& uid, std::string_view why) {
  Group* group = books_.groups.Find(id);
  const Member* member = group == nullptr ? nullptr : group->Find(uid);
  if (member == nullptr) return;
  DropCall(*group, uid, fmt::format("pod {} {}", member->pod.name, why));
  books_.waker.Forget(uid);
  const int32_t live_set = member->live() ? member->pod_set : -1;
  const bool had_started = group->Started();
  const bool was_fixed = group->IsFixed();
  std::optional<Return> back = ReturnOf(*group, *member);
  if (member->slot >= 0 && group->slot(member->slot).state == SlotState::kPosting)
    LeaveWhilePosting(*group, member->slot, uid);
  const int32_t slot = member->slot;           // which may be one slot less by now
  if (slot >= 0 && IsPledged(*group, slot)) {  // what it was planned for is still its own
    ReleaseSlot(*group, slot, why);
    books_.lifecycle.Fire(id, GroupEvent::kSlotLost);
  }
  group->Remove(uid);
  if (had_started && !group->Started()) BeginAnew(*group);
  if (was_fixed) NoteFreeToGo(*group);
  if (live_set >= 0) NoteRun(*group, live_set);
  ForgetMember(uid);
  if (group->members().empty() && !group->StaysEmpty()) {
    Erase(id);
    return;
  }
  if (books_.groups.Retired(id)) return;
  PassOver(*group);
  if (!group->AnyRuns() || EndsRun(*group, uid)) EndReturns(*group, why);
  if (back) AwaitReturn(*group, uid, std::move(*back));
  if (group->state() == GroupState::kBlocked || books_.lines.Stands(id)) StandAsTold(*group);
  Mended(*group);
  TakeClaimedSize(*group);
  if (group->claimed() < group->size()) to_shrink_.insert(id);
  ForgetTemplates(*group);
  NoteGates(*group);
  NoteLadder(*group, true);
  books_.vacant.Count(*group, books_.ledger);
  books_.groups.CountClaim(*group);
  SeatAndSend(*group);
  books_.lifecycle.Fire(id, GroupEvent::kMembersChanged);
  if (group->owner()) books_.owners.ReadAgain(OwnerKeyOf(*group), now + kOwnerReadAfter);
}

// Nothing of it stands any more.
void Plans::BeginAnew(Group& group) {
  first_.erase(group.id());  // it has not started, by now
  gains_.NoteYields();
  NoteLadderTold(group);  // it is at its first rung before it is solved
  if (group.sizing().at_least) group.LimitWhole(0);
  if (!group.relaxed() && group.bound_by() == 0) return;
  group.SetRelaxed(false);
  Release(group, fmt::format("gang {}: it starts anew, by its own rules", group.name()));
}

// What has succeeded starts nobody. The rest is as many as its owner says that are left, where that
// is known; else as there would be without those that have succeeded, and as are there already.
void Plans::PassOver(Group& group) {
  if (!group.OnlySucceeded() || !MayPassOver(group)) return;
  const std::vector<int32_t> finished = FinishedOf(group);
  group.PassOver();
  const std::string why =
      fmt::format("gang {}: what has succeeded is over, the rest is planned anew", group.name());
  EndReturns(group, why);
  Release(group, why);
  group.DropSlots();
  BeginAnew(group);
  NoteLadder(group, true);
  for (size_t i = 0; i < finished.size(); ++i) {
    const PodSet& set = group.pod_sets().sets()[i];
    const int32_t left = std::max(set.claimed() - finished[i], set.members);
    if (left >= set.claimed()) continue;
    const int32_t gone = set.gone + set.claimed() - left;
    Resize(group, static_cast<int32_t>(i), left);
    group.SetGone(static_cast<int32_t>(i), gone);
  }
  put_off_[group.id()] = INT32_MAX;  // its owner is to say how many there are
  NoteGates(group);
  books_.vacant.Count(group, books_.ledger);
  for (GroupEvent event : {GroupEvent::kMembersChanged, GroupEvent::kCapacityGained})
    books_.lifecycle.Fire(group.id(), event);
}

// It starts as a whole, and it is known whose pods come next: under a name, those of one owner, and
// of units of ranks those that are left, which would be torn. No pod set is over as a whole with
// which another one is placed. An owner that was started by us is stopped first, where it has to
// be, and then starts without a plan; one that has begun in room of a reservation, which may be
// over by now, goes on.
bool Plans::MayPassOver(const Group& group) const {
  const Sizing& sizing = group.sizing();
  const bool whole =
      !sizing.at_least && sizing.least == 0 && !sizing.OneByOne(options_.start_at_first_member);
  if (!whole || group.start() != GroupStart::kByItself) return false;
  if (!group.pod_sets().reservation().empty()) return false;
  if (group.key().incarnation.empty() && group.makers().size() > 1) return false;
  const std::vector<PodSet>& sets = group.pod_sets().sets();
  if (std::any_of(sets.begin(), sets.end(),
                  [](const PodSet& set) { return CountsRanks(set.rules); }))
    return false;
  const std::vector<int32_t> finished = FinishedOf(group);
  const auto is_tied = [&](const PodSet& set) {
    return set.tie >= 0 && std::any_of(sets.begin(), sets.end(), [&](const PodSet& other) {
             return &other != &set && other.tie == set.tie;
           });
  };
  for (size_t i = 0; i < sets.size(); ++i) {
    if (finished[i] > 0 && finished[i] == sets[i].claimed() && is_tied(sets[i])) return false;
  }
  return true;
}

// Once a turn, however many have left: it takes as long as the group is large.
void Plans::ShrinkSpare() {
  for (GroupId id : std::exchange(to_shrink_, {})) {
    Group* group = books_.groups.Find(id);
    if (group != nullptr && !books_.groups.Retired(id)) group->ShrinkSpare();
  }
}

std::vector<GroupId> Plans::TakePutOff() {
  std::vector<GroupId> taken;
  std::erase_if(put_off_, [&](const auto& one) {
    const Group* group = books_.groups.Find(one.first);
    const bool less = group == nullptr || group->In(SlotState::kPosting) < one.second;
    if (less) taken.push_back(one.first);
    return less;
  });
  return taken;
}

// The group's owner says another count of a pod set. What is held behind it is given back, since
// slots get other numbers there.
void Plans::Resize(Group& group, int32_t set, int32_t count) {
  const PodSet& own = group.pod_sets().at(set);
  if (group.start() == GroupStart::kComing && group.holds() > 0 && count < own.claimed())
    books_.vacant.NoteBarren(group, books_.ledger);
  const std::string why = fmt::format("gang {}: it has {} members now, the gang is planned anew",
                                      group.name(), group.claimed() + count - own.claimed());
  if (!group.Started()) {
    Release(group, why);
    group.DropSlots();
  }
  const auto slots_behind = [&](SlotState state) {
    std::vector<int32_t> slots;
    for (int32_t i = own.first + own.count; group.planned() && i < group.size(); ++i) {
      if (group.slot(i).state == state) slots.push_back(i);
    }
    return slots;
  };
  if (!slots_behind(SlotState::kPosting).empty())
    return static_cast<void>(put_off_[group.id()] = group.In(SlotState::kPosting));
  for (int32_t slot : slots_behind(SlotState::kHeld)) ReleaseSlot(group, slot, why);
  if (group.Started()) EndReturnsBeyond(group, set, count, why);
  group.Resize(set, count);
  books_.lines.Leave(group.id());
  if (group.AnyUnsound()) MarkUntold(group);
  books_.groups.CountClaim(group);
  SeatAndSend(group);
  for (GroupEvent event :
       {GroupEvent::kSlotLost, GroupEvent::kMembersChanged, GroupEvent::kCapacityGained})
    books_.lifecycle.Fire(group.id(), event);
}

void Plans::Foretell(Group& group, std::span<const Foretold> told) {
  Release(group, {});  // nobody waits in bind
  group.Foretell(told);
  books_.lines.Leave(group.id());
  NoteLadderTold(group);
  DropShapes(group);
  books_.ledger.StopSeeking(group.id());
  books_.groups.CountClaim(group);
  for (GroupEvent event :
       {GroupEvent::kSlotLost, GroupEvent::kMembersChanged, GroupEvent::kCapacityGained})
    books_.lifecycle.Fire(group.id(), event);
}

void Plans::SetFilter(Group& group, int32_t pod_set, const NodeFilter& filter) {
  group.SetFilter(pod_set, filter);
  DropShapes(group);  // nobody has told another template
}

std::string Plans::BrokenInvariant() const {
  int64_t holds = 0;
  for (const auto& [id, group] : books_.groups.groups()) {
    for (int32_t i = 0; i < static_cast<int32_t>(group->slots().size()); ++i) {
      const Slot& slot = group->slot(i);
      const bool posting = slot.state == SlotState::kPosting;
      if (!posting && slot.state != SlotState::kHeld) continue;
      ++holds;
      if (!books_.ledger.Has({id, i}, slot.node, posting))
        return fmt::format("plans: slot {} of group {} has no such hold", i, group->name());
      const BindingAttempt* attempt =
          slot.member() == nullptr ? nullptr : books_.desk.AttemptOf(slot.member()->pod.uid);
      if (posting != (attempt != nullptr && attempt->open()))
        return fmt::format("plans: slot {} of group {} and its Binding disagree", i, group->name());
    }
    for (const auto& [uid, member] : group->members()) {
      if (member.in_bind != (books_.desk.CallOf(uid) != nullptr))
        return fmt::format("plans: pod {} and its call disagree", uid);
      const bool placed = member.slot >= 0 && group->slot(member.slot).state != SlotState::kEmpty;
      if (member.in_bind && !placed)
        return fmt::format("plans: pod {} is in bind without a node", uid);
    }
    if (books_.lines.Stands(id) && !MayStand(*group))
      return fmt::format("plans: group {} stands in line for room", group->name());
    const bool waits =
        group->state() == GroupState::kBlocked || group->state() == GroupState::kReleased;
    if (waits && group->In(SlotState::kHeld) > 0) {
      return fmt::format("plans: group {} is {} but holds room", group->name(),
                         Name(group->state()));
    }
  }
  holds += books_.ledger.kept_count();
  return holds == books_.ledger.hold_count() ? std::string() : "plans: a hold has no slot";
}

}  // namespace gangplan
