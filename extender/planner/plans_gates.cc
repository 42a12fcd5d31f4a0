// Members behind gates: where their pod sets may go, and room that pods have been released to.
#include <algorithm>

#include "extender/planner/plan_words.h"
#include "extender/planner/plans.h"
#include "fmt/format.h"

namespace gangplan {

void Plans::NoteGates(const Group& group) {
  if (group.gated() + group.released() > 0 || group.AnyPin()) gate_news_.changed.insert(group.id());
}

// Its node is one of those that members of its pod set were released to, where some were.
bool Plans::IsInPin(const Group& group, int32_t slot) const {
  const PodSet& set = group.pod_sets().Of(slot);
  const NodeFacts* node = books_.ledger.model().Facts(group.slot(slot).node);
  return set.pin.empty() || (node != nullptr && MatchesSelector(set.Where(), *node));
}

void Plans::SetPin(Group& group, int32_t set, const Pin& pin) {
  group.SetPin(set, pin.terms, pin.words);
  DropShapes(group);
}

void Plans::Unpin(Group& group) {
  for (int32_t set = 0; set < static_cast<int32_t>(group.pod_sets().sets().size()); ++set)
    group.SetPin(set, {}, {});
  DropShapes(group);
  AskAnew(group.id());
}

void Plans::Repinned(Group& group) {
  Release(group, fmt::format("gang {}: some of its pods may go to certain nodes alone, the gang is "
                             "planned anew",
                             group.name()));
  DropShapes(group);
  for (GroupEvent event : {GroupEvent::kSlotLost, GroupEvent::kCapacityGained})
    books_.lifecycle.Fire(group.id(), event);
}

// ---- pods that go to a node without asking us

void Plans::SetPledge(const std::string& uid, KnownPod& record, std::string node) {
  if (record.pledge == node) return;
  record.pledge = std::move(node);
  if (record.bound) return;
  books_.ledger.ErasePod(uid);
  KeepPledge(uid, record);
}

// Nobody lets go for it: where others have the room it is not there.
void Plans::KeepPledge(const std::string& uid, const KnownPod& record) {
  if (record.pledge.empty() || record.bound) return;
  const Group* group = books_.groups.Find(record.group);
  const Member* member = group == nullptr ? nullptr : group->Find(uid);
  if (member != nullptr && member->slot >= 0 && IsPledged(*group, member->slot))
    return LeaveToHold(uid, record, group->pod_sets().at(member->pod_set),
                       group->slot(member->slot).node);
  const Model& model = books_.ledger.model();
  const NodeIndex node = model.FindNode(record.pledge);
  if (node != kNoNode && books_.ledger.NodeOf(uid) == node) return;
  const bool fits = node != kNoNode && model.HasRoom(node, *record.requests);
  if (fits || !planning_) {
    books_.ledger.PutPod(uid, record.pledge, *record.requests, record.profile, true);
  } else {
    books_.ledger.ErasePod(uid);
  }
}

// Room for one of its set is held on that node, or will be at once: what it has there itself is no
// gain of anybody's.
void Plans::LeaveToHold(const std::string& uid, const KnownPod& record, const PodSet& set,
                        NodeIndex node) {
  const bool same = *record.requests == set.demand;
  if (same && books_.ledger.NodeOf(uid) == node) return books_.ledger.LiftPod(uid);
  books_.ledger.ErasePod(uid);
}

// And back: its slot's room is its own from now on. False: it is not of its size, not there, or
// nobody's who may be bound there at any moment.
bool Plans::LeaveToPod(Group& group, int32_t slot) {
  if (!IsPledged(group, slot)) return false;
  const Model& model = books_.ledger.model();
  const NodeIndex node = group.slot(slot).node;
  if (model.Facts(node) == nullptr || model.Overcommitted(node)) return false;
  const std::string& uid = group.At(slot)->pod.uid;
  const KnownPod& record = books_.pods.At(uid);
  if (*record.requests != group.pod_sets().Of(slot).demand) return false;
  if (books_.ledger.NodeOf(uid) != kNoNode) return false;
  books_.ledger.GiveToPod({group.id(), slot}, uid, *record.requests, record.profile);
  return true;
}

// Those of its slots of which that was so, ascending.
std::vector<int32_t> Plans::LeaveToPods(Group& group) {
  std::vector<int32_t> slots;
  if (!group.planned() || !group.IsFixed()) return slots;
  for (int32_t slot = 0; slot < static_cast<int32_t>(group.slots().size()); ++slot) {
    if (LeaveToPod(group, slot)) slots.push_back(slot);
  }
  return slots;
}

// Those that were never let go anywhere have none.
void Plans::KeepPledgeOf(const Member& member) {
  if (member.released || member.going || !member.own_node.empty())
    KeepPledge(member.pod.uid, books_.pods.At(member.pod.uid));
}

bool Plans::HasPledge(const std::string& uid, const KnownPod& record) const {
  const Model& model = books_.ledger.model();
  const NodeIndex node = record.pledge.empty() ? kNoNode : model.FindNode(record.pledge);
  return node != kNoNode && model.Facts(node) != nullptr && !model.Overcommitted(node) &&
         books_.ledger.NodeOf(uid) == node;
}

// Its room is held where its pod may be bound at any moment.
bool Plans::IsPledged(const Group& group, int32_t slot) const {
  const Slot& one = group.slot(slot);
  if (one.state != SlotState::kHeld || one.member() == nullptr) return false;
  const std::string& pledge = books_.pods.At(one.member()->pod.uid).pledge;
  return !pledge.empty() && books_.ledger.model().NodeName(one.node) == pledge;
}

// Before the others of the group are planned: who was released to a node, or may be by now, has its
// slot there; who had that one gets another.
void Plans::HoldPledged(absl::Time now, Group& group) {
  if (!group.IsFixed()) return;
  for (const auto& [uid, member] : group.members()) {
    if (!member.live() || member.runs || member.deleted || member.gave_back) continue;
    if (member.slot >= 0 && group.slot(member.slot).state != SlotState::kEmpty) continue;
    const KnownPod& record = books_.pods.At(uid);
    if (!record.pledge.empty()) HoldPledge(now, group, uid, record);
  }
  SeatAndSend(group);
}

// In place of the pod's own room; none that the scheduler has refused.
void Plans::HoldPledge(absl::Time now, Group& group, const std::string& uid,
                       const KnownPod& record) {
  const Model& model = books_.ledger.model();
  const NodeIndex node = model.FindNode(record.pledge);
  const int32_t index = group.Find(uid)->pod_set;
  const PodSet& set = group.pod_sets().at(index);
  if (record.facts == nullptr || node == kNoNode) return;
  if (model.LeafOfNode(group.topology(), node) < 0) return;
  if (!model.MayUse(node, set.shape)) return;
  if (books_.refusals.Has(group.id(), index, node)) return;
  const int32_t slot = group.SlotToAdopt(uid, PlannedRankOf(*record.facts, set.count));
  if (slot < 0 || group.slot(slot).state != SlotState::kEmpty) return;
  const bool there = books_.ledger.NodeOf(uid) == node;
  if (!model.HasRoom(node, set.demand, there ? *record.requests : ResourceList())) {
    books_.ledger.ErasePod(uid);
    return KeepPledge(uid, record);
  }
  LeaveToHold(uid, record, set, node);
  group.SeatAt(uid, slot);
  books_.ledger.Hold({group.id(), slot}, node, set.shape, group.priority(), set.profile);
  group.SetHeld(slot, node);
  lesser_.Note(group);
  if (books_.ledger.EndOf(group.id()) != absl::InfiniteFuture()) return;
  const HoldReason reason = group.Started() ? HoldReason::kRepairing : HoldReason::kStarting;
  books_.ledger.SetEnd(group.id(), reason, now + options_.gather_timeout);
}

bool Plans::Prolong(absl::Time now, Group& group) {
  const std::vector<HoldId> holds = books_.ledger.HoldsOf(group.id());
  const bool all = std::all_of(holds.begin(), holds.end(),
                               [&](const HoldId& hold) { return IsPledged(group, hold.slot); });
  if (holds.empty() || !all) return false;
  books_.ledger.SetEnd(group.id(), HoldReason::kStarting, now + options_.gather_timeout);
  group.SetVerdict({Outcome::kWait,
                    fmt::format("gang {} of {}: its pods were released to their nodes, and no "
                                "scheduler has bound all of them or said why not; their room "
                                "stays theirs. Look whether the scheduler that they name runs",
                                group.name(), group.size()),
                    true});
  books_.lifecycle.Touch(group.id());
  return true;
}

void Plans::NoteWords(const KnownPod& record, const PodFacts& pod) {
  if (!record.pledge.empty() && !pod.scheduler_words.empty()) gate_news_.refused.insert(pod.uid);
}

void Plans::NoteFreeToGo(const Group& group) {
  if (!group.IsFixed() && !group.Started() && books_.ledger.HoldCount(group.id()) > 0)
    gains_.NoteYields();
}

}  // namespace gangplan
