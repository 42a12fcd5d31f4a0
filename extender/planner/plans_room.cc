// Room that is given up or back: how holds end before they are used.
#include <algorithm>

#include "extender/planner/known_ends.h"
#include "extender/planner/least.h"
#include "extender/planner/limits.h"
#include "extender/planner/owner_key.h"
#include "extender/planner/plans.h"
#include "fmt/format.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

// Of an owner that waits suspended, and could not be started though it had room.
std::string WhyNotStarted(const OwnerRef& owner) {
  if (owner.kind == kJobKind.kind)
    return "its controller did not tell that the pods of its last run are stopped";
  return fmt::format("the Jobs of its {} were not all there and stopped in time", owner.kind);
}

}  // namespace

bool Plans::DropCall(Group& group, std::string_view uid, std::string_view error) {
  if (group.in_bind() == 0 || !books_.desk.Answer(uid, error)) return false;
  const Member* member = group.Find(uid);
  if (member == nullptr) return true;
  if (member->slot >= 0 && !error.empty()) books_.refusals.Disturb(group.slot(member->slot).node);
  group.SetInBind(uid, false);
  return true;
}

// The slots have no node any more; their holds are gone already, and so are calls for them.
void Plans::ForgetNodes(Group& group, std::span<const int32_t> slots) {
  const bool many = books_.nominations.NoteLost(group.id(), slots.size());
  std::vector<NodeIndex> nodes;
  for (int32_t slot : slots) nodes.push_back(group.slot(slot).node);
  books_.named.NoteRoom(group, nodes);
  for (int32_t slot : slots) {
    const Member* member = group.At(slot);
    books_.refusals.Disturb(group.slot(slot).node);
    group.SetEmpty(slot);  // with it the slot may go, and its member get another one
    if (member == nullptr) continue;
    if (!many) books_.waker.Reset(member->pod.uid);
    KeepPledgeOf(*member);
  }
  SeatAndSend(group);
  const bool none = !slots.empty() && group.holds() == 0 && !group.Started();
  if (none) victims_search_.NoteRoomLost(group);
  // Of one that gathers all that are missing count until it is planned again.
  if (group.Started()) books_.vacant.Count(group, books_.ledger);
}

void Plans::ReleaseSlot(Group& group, int32_t slot, std::string_view why) {
  if (const Member* member = group.At(slot)) DropCall(group, member->pod.uid, why);
  if (!LeaveToPod(group, slot)) books_.ledger.Release({group.id(), slot});
  ForgetNodes(group, {{slot}});
}

void Plans::Release(Group& group, std::string_view why) {
  ForgetReturns(group.id());
  // It may have been let into room that is kept: nobody else passes before that is kept anew.
  const bool ends = RoomTakenBy(group) > 0;
  if (ends && books_.ledger.HoldCount(group.id()) > 0)
    books_.lines.of(group.topology()).Unreserve();
  std::vector<int32_t> slots = LeaveToPods(group);
  const std::vector<int32_t> released = books_.ledger.ReleaseOpen(group.id());
  slots.insert(slots.end(), released.begin(), released.end());
  std::sort(slots.begin(), slots.end());
  for (int32_t slot : slots) {
    if (group.in_bind() == 0) break;
    if (const Member* member = group.At(slot)) DropCall(group, member->pod.uid, why);
  }
  ForgetNodes(group, slots);
  books_.vacant.Forget(group);
}

// The plan was of no use in its time.
void Plans::GiveBack(absl::Time now, Group& group) {
  std::string why = "members did not all come in time";
  std::string until = "a member comes or goes";
  if (group.Complete()) {
    why = "the scheduler did not bind all members in time";
    until = "every member is asked for";
  }
  if (!options_.verbs) {
    until = group.gated() + group.released() > 0
                ? "a pause is over"
                : "its pods wait behind the gate gangplan.io/gang: nobody calls Gangplan here";
  }
  if (!group.refusal().empty()) why = fmt::format("its Bindings were refused: {}", group.refusal());
  if (group.start() != GroupStart::kByItself) {
    start_news_.given_back.insert(group.id());
    until = fmt::format("its {} has been suspended again", group.owner()->kind);
  }
  if (group.suspended()) {
    why = WhyNotStarted(*group.owner());
    until = "that is so, or after a pause";
  }
  if (group.gated() + group.released() > 0) gate_news_.given_back.insert(group.id());
  books_.queue.Forget(group.id());
  line_.Forget(group.id());
  books_.lines.Leave(group.id());
  if (group.fruitless() > 1) {
    const absl::Duration pause = SolveQueue::PauseAfter(kFruitlessPause, group.fruitless() - 2);
    books_.queue.Pause(group.id(), now + pause);
    // Whoever suspends its owner has a pause of its own, and tells it.
    if (group.start() == GroupStart::kByItself)
      until += fmt::format(", {} s from now at the earliest", absl::ToInt64Seconds(pause));
  }
  group.SetVerdict({Outcome::kWait,
                    fmt::format("gang {} of {}: {}, its room was given back; it is planned again "
                                "when {}",
                                group.name(), group.size(), why, until),
                    true});
  Release(group, group.verdict().reason);
  group.DropSlots();
  group.MarkAllGivenBack();
  ForgetTemplates(group);
  if (group.owner()) books_.owners.ReadAgain(OwnerKeyOf(group), now);
}

// What a group that has started is told while `members` of it wait to be asked for.
Verdict Plans::GivenUp(const Group& group, int32_t members) {
  return {.outcome = Outcome::kWait,
          .reason = fmt::format(
              "gang {} of {}: nobody bound {} of its members in time, their room was given "
              "back; they are planned again when the scheduler asks for them",
              group.name(), group.size(), members),
          .given_up = true};
}

// Its member gets room again when the scheduler asks for it, each time a while later.
void Plans::GiveUpSlot(absl::Time now, Group& group, int32_t slot, const std::string& why) {
  const Member* member = group.At(slot);
  absl::Time not_before = now;
  if (member != nullptr && member->given_back > 0)
    not_before += SolveQueue::PauseAfter(kFruitlessPause, member->given_back - 1);
  ReleaseSlot(group, slot, why);
  if (slot < group.size()) group.MarkGivenBack(slot, not_before);
}

// Of a group that has started.
void Plans::GiveUp(absl::Time now, Group& group) {
  std::vector<HoldId> holds = books_.ledger.HoldsOf(group.id());
  std::erase_if(holds, [&](const HoldId& hold) {
    return group.slot(hold.slot).state != SlotState::kHeld || IsPledged(group, hold.slot);
  });
  const Verdict told = GivenUp(group, static_cast<int32_t>(holds.size()));
  bool any = false;
  for (const HoldId& hold : holds) {
    if (group.slot(hold.slot).state != SlotState::kHeld) continue;
    const Member* member = group.At(hold.slot);
    any = any || member != nullptr;
    GiveUpSlot(now, group, hold.slot, told.reason);
  }
  if (group.In(SlotState::kHeld) > 0)
    books_.ledger.SetEnd(group.id(), HoldReason::kRepairing, now + options_.gather_timeout);
  if (any) group.SetVerdict(told);
  if (any && group.gated() + group.released() > 0) gate_news_.given_back.insert(group.id());
  books_.vacant.Forget(group);
  // Slots may have gone that were to go.
  if (group.AllBound()) books_.lifecycle.Fire(group.id(), GroupEvent::kSettled);
}

// What it keeps for what it may lose is room for what it has lost.
void Plans::FreeSpares(const Group& group) {
  const bool joins = OnlyJoins(group, books_.owners);
  if (!group.Started() || !group.WantsSlots() || joins) return;
  // The first in line may be promised them: nobody else passes before its room is found anew.
  if (!books_.ledger.ReleaseOpen(SparesFor(group.id())).empty())
    books_.lines.of(group.topology()).Unreserve();
}

void Plans::CheckNode(NodeIndex node, bool moved) {
  books_.shares.Note();  // the cluster may be another one
  if (moved) ReleaseBeside(node);
  if (!books_.ledger.HasHolds(node)) return;
  const std::string name =
      books_.ledger.model().NodeName(node);  // it may be forgotten with its holds
  const Ledger::Shed shed = moved ? books_.ledger.ShedAll(node) : books_.ledger.ShedNode(node);
  for (const HoldId& hold : shed.pinned) books_.groups.Find(hold.group)->SetLost(hold.slot);
  for (const HoldId& hold : shed.released) {
    if (IsKept(hold.group)) continue;  // whoever keeps it finds out
    Group& group = *books_.groups.Find(hold.group);
    if (const Member* member = group.At(hold.slot)) {
      DropCall(group, member->pod.uid,
               fmt::format("gang {}: the planned node {} was lost", group.name(), name));
    }
    ForgetNodes(group, {{hold.slot}});
    books_.lifecycle.Fire(group.id(), GroupEvent::kSlotLost);
  }
}

// The node of a held slot lets the pods of its set in, as their template is now.
bool Plans::LetsIn(const PodSet& set, NodeIndex node) const {
  const NodeFacts* facts = books_.ledger.model().Facts(node);
  const NodeFilter where = set.Where();
  return facts != nullptr && MatchesSelector(where, *facts) && ToleratesTaints(where, *facts);
}

// A pod told the set's template anew: room that is held for another one is of no use. For what was
// foretold, and is held since, also where no shape stands for it.
void Plans::Retold(Group& group, int32_t pod_set) {
  if (books_.ledger.SetPriority(group.id(), group.priority())) gains_.NoteYields();
  if (books_.ledger.HoldCount(group.id()) > 0) lesser_.Note(group);
  DropShapes(group);
  NoteLadderTold(group);
  const PodSet set = group.pod_sets().at(pod_set);
  if (set.retelling == Retelling::kSame) return;
  const std::string why = fmt::format("gang {}: its template is another one now", group.name());
  bool any = false;
  for (const HoldId& hold : books_.ledger.HoldsOf(group.id())) {
    const Slot& slot = group.slot(hold.slot);
    if (!set.Has(hold.slot) || slot.state != SlotState::kHeld) continue;
    if (set.retelling == Retelling::kNodes && LetsIn(set, slot.node)) continue;
    if (HoldAnew(group, hold.slot)) continue;
    ReleaseSlot(group, hold.slot, why);
    any = true;
  }
  if (any) books_.lifecycle.Fire(group.id(), GroupEvent::kSlotLost);
}

// One that ran does so no more. True: room was given up for it.
bool Plans::Mended(Group& group) {
  if (!group.torn() || group.In(SlotState::kHeld) == 0) return false;
  group.SetTorn(false);
  Release(group, fmt::format("gang {}: its members ran in two domains, the missing ones are "
                             "planned anew around those that are left",
                             group.name()));
  return true;
}

// Room for the rest of gangs that run there, or of which a Binding to it is open: it was found for
// where they stood before.
void Plans::ReleaseBeside(NodeIndex node) {
  for (const auto& [id, group] : books_.groups.groups()) {
    if (group->holds() == 0 || !group->StandsOn(node)) continue;
    const std::string why = fmt::format("gang {}: node {}, where members of it run, has moved",
                                        group->name(), books_.ledger.model().NodeName(node));
    Release(*group, why);
    for (const HoldId& hold : books_.ledger.HoldsOf(id)) group->SetLost(hold.slot);
    books_.lifecycle.Fire(id, GroupEvent::kSlotLost);
  }
}

void Plans::MoveSlot(Group& group, std::string_view uid) {
  const Member& member = *group.Find(uid);
  const int32_t slot = member.slot;
  ReleaseSlot(group, slot,
              fmt::format("gang {}: node {} cannot take pod {}", group.name(),
                          books_.ledger.model().NodeName(group.slot(slot).node), member.pod.name));
  books_.lifecycle.Fire(group.id(), GroupEvent::kSlotLost);
}

void Plans::Retire(GroupId id) {
  Group* group = books_.groups.Find(id);
  const bool waits = group->StaysEmpty();
  // Who is there already is read into the next one, and goes on.
  const bool there = group->start() == GroupStart::kComing && !group->members().empty();
  const GroupStart start = there ? GroupStart::kStarted : group->start();
  if (start != GroupStart::kByItself) start_news_.erased[id] = start;
  group->SetStart(GroupStart::kByItself);
  gate_news_.changed.insert(id);
  ladder_news_[id] = true;
  Release(*group, fmt::format("gang {} is gone", group->name()));
  DropShapes(*group);
  for (int32_t i = 0; const PodSet& set : group->pod_sets().sets()) {
    if (set.shape >= 0) books_.ledger.ReleaseShape(set.shape);
    group->SetShape(i++, -1);
  }
  books_.ledger.StopSeeking(id);
  books_.queue.Forget(id);
  books_.lines.Leave(id);
  line_.Forget(id);
  victims_search_.Forget(id);
  books_.yielding.EndAgainst(id);
  kept_places_.erase(id);
  first_.erase(id);
  books_.nominations.Forget(id);
  gains_.Forget(id);
  books_.refusals.ForgetGroup(id);
  books_.vacant.Forget(*group);
  books_.results.Forget(id);
  books_.named.ForgetUser(id);
  books_.shares.Forget(id);
  books_.shares.Note();
  books_.lifecycle.Forget(id, waits);
  books_.groups.Retire(id);
}

void Plans::Erase(GroupId id) {
  Retire(id);
  books_.groups.Erase(id);
}

void Plans::NoteLadder(const Group& group, bool lost) {
  if (!group.ladder().empty()) ladder_news_[group.id()] |= lost;
}

void Plans::NoteLadderTold(const Group& group) {
  if (!group.ladder().empty()) ladders_told_.insert(group.id());
}

}  // namespace gangplan
