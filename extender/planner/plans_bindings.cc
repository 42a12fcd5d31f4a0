// Bindings: when they are written, all at once where a gang begins, and what comes of each.
#include <algorithm>

#include "extender/frontends/front_end.h"
#include "extender/planner/limits.h"
#include "extender/planner/plan_words.h"
#include "extender/planner/plans.h"
#include "fmt/format.h"

namespace gangplan {

LabelSet Plans::Annotations(const Group& group, int32_t slot) const {
  const Model& model = books_.ledger.model();
  const int32_t leaf = model.LeafOfNode(group.topology(), group.slot(slot).node);
  const Tree& tree = model.tree(group.topology());
  const bool runs = group.slot(slot).state == SlotState::kBound;
  LabelSet annotations =
      PlanAnnotations({slot - group.pod_sets().Of(slot).first,
                       leaf < 0 ? std::string() : tree.Path(tree.leaf_level(), leaf),
                       group.key().name, group.plans(), runs ? group.bound_by() : group.rung()});
  for (const auto& [key, value] : group.booked()) SetLabel(annotations, key, value);
  return annotations;
}

BindingWrite Plans::BindingOf(const Group& group, const Member& member,
                              absl::Time not_after) const {
  LabelSet labels;
  PatchLabels(labels, group.pod_sets().front_end()->MemberLabels(member.slot, group.plans()));
  return {member.pod, books_.ledger.model().NodeName(group.slot(member.slot).node),
          Annotations(group, member.slot), not_after, std::move(labels)};
}

void Plans::Post(Group& group, std::string_view uid) {
  const int32_t slot = group.Find(uid)->slot;
  group.MarkBegun();
  group.SetPosting(slot);
  group.NoteBoundBy(group.rung());
  books_.ledger.Pin({group.id(), slot}, true);
  books_.desk.Write({uid});
}

// Whatever is wrong with a slot is mended before the first Binding, never after it.
bool Plans::CommitProblems(absl::Time now, Group& group) {
  bool late = false;
  const bool some_late = books_.desk.NextLate() <= now;
  for (int32_t slot = 0; some_late && group.planned() && slot < group.size(); ++slot) {
    const Member* member = group.At(slot);
    const HeldCall* call = member == nullptr ? nullptr : books_.desk.CallOf(member->pod.uid);
    if (call != nullptr && now >= call->call_off && books_.desk.Awaits(member->pod.uid)) {
      late = DropCall(group, member->pod.uid,
                      fmt::format("gang {}: too late to be written within the scheduler's time-out",
                                  group.name()));
    }
  }
  const std::vector<NodeIndex> lost = books_.ledger.LostNodes(group.id());
  for (NodeIndex node : lost) CheckNode(node);
  return late || !lost.empty();
}

bool Plans::Stands(const Group& group, int32_t slot) const {
  return !group.slot(slot).lost && books_.ledger.Stands({group.id(), slot});
}

// Answers the call that waits on a node that is lost. True: it was.
bool Plans::DropIfLost(Group& group, int32_t slot) {
  if (Stands(group, slot)) return false;
  DropCall(group, group.At(slot)->pod.uid,
           fmt::format("gang {}: the planned node was lost", group.name()));
  return true;
}

// The first member that is known to run starts those that were called while nobody could tell.
void Plans::PostAwaited(Group& group) {
  for (int32_t i = 0; group.AnyRuns() && group.in_bind() > 0 && i < group.size(); ++i) {
    const Member* member = group.At(i);
    if (member == nullptr || !books_.desk.Awaits(member->pod.uid)) continue;
    if (!DropIfLost(group, i)) Post(group, member->pod.uid);
  }
}

// Nothing of it runs, or may: a size that it was to shrink to is its own now.
void Plans::TakeClaimedSize(Group& group) {
  for (size_t i = 0; !group.Started() && i < group.pod_sets().sets().size(); ++i) {
    const PodSet& set = group.pod_sets().sets()[i];
    if (set.spare > 0) Resize(group, static_cast<int32_t>(i), set.claimed());
  }
}

// Where Bindings of a gang are in doubt that is not known to have begun, these are written again
// with all the others: none of them by itself. False: one is on its way, or its node is lost.
bool Plans::DoubtfulWait(Group& group) {
  for (int32_t i = 0; group.In(SlotState::kPosting) > 0 && i < group.size(); ++i) {
    if (group.slot(i).state != SlotState::kPosting) continue;
    if (!books_.desk.Awaits(group.At(i)->pod.uid)) return false;
    if (DropIfLost(group, i)) return false;
  }
  return true;
}

// All of it in one turn: a gang that has begun has no member that could be called off.
void Plans::Commit(absl::Time now, Group& group) {
  const GroupState state = group.state();
  const bool in_doubt = state == GroupState::kBinding || state == GroupState::kRepairing;
  const bool begins = state == GroupState::kPlanned || (in_doubt && !group.AnyRuns());
  if (!begins || !DoubtfulWait(group) || CommitProblems(now, group)) return;
  if (!group.AllCalled()) return;
  group.MarkBegun();
  books_.ledger.PinAll(group.id());
  group.NoteBoundBy(group.rung());
  round_.Spend(kSlotWork * group.holds());
  std::vector<std::string_view> uids;
  uids.reserve(static_cast<size_t>(group.holds()));
  for (int32_t slot = 0; slot < group.size(); ++slot) {
    if (!group.slot(slot).taken()) continue;
    if (group.At(slot) == nullptr) {  // it comes when the others are ready
      books_.ledger.Pin({group.id(), slot}, false);
      books_.ledger.SetEnd(group.id(), HoldReason::kRepairing, now + options_.gather_timeout);
      continue;
    }
    group.SetPosting(slot);
    uids.push_back(group.At(slot)->pod.uid);
  }
  books_.desk.Write(uids);
  books_.lifecycle.Fire(group.id(), GroupEvent::kCommitted);
}

void Plans::OnSettlement(absl::Time now, Group& group, const Settlement& settled) {
  const Member* member = group.Find(settled.pod.uid);
  if (member == nullptr || member->slot < 0) return;
  const int32_t slot = member->slot;
  const Slot& own = group.slot(slot);
  if (own.state != SlotState::kPosting) return;
  if (settled.outcome != BindOutcome::kBound) {
    NotWritten(now, group, settled);
    return;
  }
  const bool begins = !group.AnyRuns();
  books_.ledger.Release({group.id(), slot});
  group.SetBound(slot, own.node);
  const int64_t taken = group.pod_sets().at(member->pod_set).room_taken;
  if (taken > 0) books_.pods.NoteEnd(settled.pod.uid, absl::ToUnixSeconds(now) + taken);
  NoteEnd(books_.pods.At(settled.pod.uid), settled.pod.uid);
  NoteRun(group, member->pod_set);
  group.ForgetRefusals(settled.pod.uid);
  const KnownPod& record = books_.pods.At(settled.pod.uid);
  books_.ledger.PutPod(settled.pod.uid, settled.node, *record.requests, record.profile);
  CheckNode(own.node);  // it may ask for more than its room was
  DropCall(group, settled.pod.uid, "");
  if (begins) PostAwaited(group);
  NoteGates(group);
  books_.lifecycle.Fire(group.id(), GroupEvent::kSettled);
}

void Plans::NotWritten(absl::Time now, Group& group, const Settlement& settled) {
  const std::string uid = settled.pod.uid;
  const int32_t slot = group.Find(uid)->slot;
  const NodeIndex node = group.slot(slot).node;
  const bool lost = group.slot(slot).lost || !IsInPin(group, slot);
  books_.ledger.Pin({group.id(), slot}, false);
  group.SetHeldAgain(slot);
  if (books_.ledger.EndOf(group.id()) == absl::InfiniteFuture())
    books_.ledger.SetEnd(group.id(), HoldReason::kRepairing, now + options_.gather_timeout);
  DropCall(group, uid, settled.message.empty() ? "the Binding was not written" : settled.message);
  books_.waker.Reset(uid);
  const bool refused = settled.outcome == BindOutcome::kRefused;
  if (refused) TellRefused(now, group, uid, settled.message);
  if (!group.Started()) {
    group.CountFruitless();
    gains_.NoteYields();
  }
  if (!group.stale().empty()) {
    ReleaseSlot(group, slot, group.stale());
  } else if (lost) {
    ReleaseSlot(group, slot, fmt::format("gang {}: the planned node was lost", group.name()));
    books_.lifecycle.Fire(group.id(), GroupEvent::kSlotLost);
  } else if (refused && group.AnyRuns() && group.RefusedFor(uid, now) >= options_.gather_timeout) {
    GiveUpSlot(now, group, slot, group.verdict().reason);
  } else {
    CheckNode(node);
  }
  if (settled.outcome == BindOutcome::kGone) {
    Leave(now, group.id(), uid, "is gone");
    return;
  }
  if (Mended(group)) books_.lifecycle.Fire(group.id(), GroupEvent::kSlotLost);
  TakeClaimedSize(group);
  NoteGates(group);
  books_.nominations.Send(group, uid);
  books_.lifecycle.Fire(group.id(), GroupEvent::kSettled);
  PassOver(group);
}

// Once may be a passing fault; again and again is for people.
void Plans::TellRefused(absl::Time now, Group& group, std::string_view uid,
                        std::string_view message) {
  group.CountRefusal(now, uid, message);
  const Member& member = *group.Find(uid);
  if (member.refusals < kToldRefusals) return;
  group.SetVerdict({Outcome::kWait,
                    fmt::format("gang {} of {}: the Binding of pod {} is refused: {}; {} of its "
                                "members run",
                                group.name(), group.size(), member.pod.name, message,
                                group.bound() + group.finished()),
                    true});
}

}  // namespace gangplan
