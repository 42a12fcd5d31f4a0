// Slots, solves and holds: how a group's life table is carried out.
#include <algorithm>

#include "algorithms/explain.h"
#include "extender/planner/limits.h"
#include "extender/planner/planner.h"
#include "topology/base/check.h"

namespace gangplan {

void Planner::Fire(absl::Time now, Group& group, GroupEvent event) {
  if (group.size == 0) return;  // no sound member has told what the group is
  if (group.stale) return;
  for (const LifeRow& row : LifeTable()) {
    if (row.state != group.state || row.event != event || !Holds(group, row.guard)) continue;
    group.state = row.next;
    Act(now, group, row.action);
    return;
  }
}

bool Planner::Holds(const Group& group, GroupGuard guard) const {
  auto every = [&](auto predicate) {
    return std::all_of(group.slots.begin(), group.slots.end(), predicate);
  };
  switch (guard) {
    case GroupGuard::kAlways:
      return true;
    case GroupGuard::kComplete:
      return every([](const Slot& slot) { return !slot.open() || !slot.member.empty(); });
    case GroupGuard::kIncomplete:
      return !Holds(group, GroupGuard::kComplete);
    case GroupGuard::kStarted:
      return group.Started();
    case GroupGuard::kNotStarted:
      return !group.Started();
    case GroupGuard::kAllBound:
      return group.In(SlotState::kBound) + group.In(SlotState::kFinished) == group.size;
    case GroupGuard::kAllCalled:
      if (group.In(SlotState::kEmpty) > 0 || group.in_bind < group.In(SlotState::kHeld))
        return false;
      return every([&](const Slot& slot) {
        if (!slot.open()) return true;
        auto it = group.members.find(slot.member);
        return slot.state == SlotState::kHeld && it != group.members.end() && it->second.call;
      });
    case GroupGuard::kAllAsked:
      return every([&](const Slot& slot) {
        auto it = group.members.find(slot.member);
        return !slot.open() || (it != group.members.end() && it->second.asked);
      });
    case GroupGuard::kAllFinished:
      return group.In(SlotState::kFinished) == group.size;
  }
  return false;
}

void Planner::Act(absl::Time now, Group& group, GroupAction action) {
  switch (action) {
    case GroupAction::kNothing:
      break;
    case GroupAction::kSolve:
      Solve(now, group);
      break;
    case GroupAction::kRefill:
      Refill(now, group);
      break;
    case GroupAction::kFill:
      if (PlaceWanted(now, group, WantedSlots(group))) NominateAll(group);
      if (group.deadline == absl::InfiniteFuture() && HasVacantHold(group))
        group.deadline = now + options_.gather_timeout;
      break;
    case GroupAction::kArmGather:
    case GroupAction::kArmStart:
      group.deadline = now + options_.gather_timeout;
      break;
    case GroupAction::kDisarm:
      group.deadline = absl::InfiniteFuture();
      break;
    case GroupAction::kRelease:
      GiveBack(group);
      break;
    case GroupAction::kReleaseVacant:
      group.deadline = absl::InfiniteFuture();
      ReleaseVacant(group);
      break;
    case GroupAction::kAskCommit:
      effects_.push_back(CommitReady{group.id});
      break;
  }
}

// The plan was of no use in its time.
void Planner::GiveBack(Group& group) {
  group.deadline = absl::InfiniteFuture();
  std::string_view why = "members did not all come in time";
  std::string_view until = "a member comes or goes";
  if (Holds(group, GroupGuard::kComplete)) {
    why = "the scheduler did not bind all members in time";
    until = "every member is asked for";
  }
  SetReason(group, Outcome::kWait,
            fmt::format("gang {} of {}: {}, its room was given back; it is planned again when {}",
                        group.name, group.size, why, until));
  Release(group, group.reason);
  for (auto& [uid, member] : group.members) member.asked = false;
}

namespace {

bool InSlices(const Group& group) {
  return group.strategy == Strategy::kTas &&
         std::any_of(group.rules.begin(), group.rules.end(),
                     [](const auto& rule) { return rule && rule->factor; });
}

}  // namespace

bool Planner::HasVacantHold(const Group& group) const {
  return std::any_of(group.slots.begin(), group.slots.end(), [](const Slot& slot) {
    return slot.state == SlotState::kHeld && slot.member.empty();
  });
}

// Before anything of the group is bound every empty slot is wanted; later only those with a member,
// and with one of them the others of a group in slices: a slice that was lost as a whole is placed
// as a whole, before its first new pod settles where the rest cannot follow.
std::vector<int32_t> Planner::WantedSlots(const Group& group) const {
  auto waits = [](const Slot& slot) {
    return slot.state == SlotState::kEmpty && !slot.member.empty();
  };
  bool all = !group.Started() ||
             (InSlices(group) && std::any_of(group.slots.begin(), group.slots.end(), waits));
  std::vector<int32_t> wanted;
  for (size_t i = 0; i < group.slots.size(); ++i) {
    const Slot& slot = group.slots[i];
    if (slot.state == SlotState::kEmpty && (all || !slot.member.empty()))
      wanted.push_back(static_cast<int32_t>(i));
  }
  return wanted;
}

// The nodes to avoid are said in Kubernetes' own words: metadata.name NotIn, in every term.
void Planner::RefreshShape(absl::Time now, Group& group) {
  std::erase_if(group.avoided, [&](const auto& entry) { return entry.second <= now; });
  NodeFilter filter = group.filter;
  if (!group.avoided.empty()) {
    SelectorRequirement others{"metadata.name", SelectorOperator::kNotIn, {}};
    for (const auto& [name, until] : group.avoided) others.values.push_back(name);
    if (!filter.required_terms) filter.required_terms.emplace(1);
    for (NodeSelectorTerm& term : *filter.required_terms) term.fields.push_back(others);
  }
  ShapeId shape = model_.AcquireShape(group.demand, filter);
  if (group.shape >= 0) model_.ReleaseShape(group.shape);
  group.shape = shape;
}

PlacementRequest Planner::RequestFor(Group& group, size_t wanted) {
  PlacementRequest request;
  request.strategy = group.strategy;
  request.tas = options_.tas;
  request.rules = group.rules;
  for (const Slot& slot : group.slots) {
    if (slot.state == SlotState::kEmpty || slot.state == SlotState::kFinished) continue;
    int32_t leaf = model_.LeafOfNode(slot.node);
    if (leaf >= 0) request.fixed.push_back({0, static_cast<int32_t>(request.fixed.size()), leaf});
  }
  // Ranks of the request only order the answer: what stands comes first, then the wanted slots.
  request.pod_sets.push_back({"", static_cast<int32_t>(request.fixed.size() + wanted)});
  return request;
}

bool Planner::PlaceWanted(absl::Time now, Group& group, const std::vector<int32_t>& wanted) {
  if (wanted.empty()) return true;
  RefreshShape(now, group);
  PlacementRequest request = RequestFor(group, wanted.size());
  PlacementView view{&model_.tree(), {&model_.Counts(group.shape)}};
  auto empty = [&] { return PlacementView{&model_.tree(), {&model_.EmptyCounts(group.shape)}}; };
  PlacementResult result = options_.engine(view, empty, request, Budget{});
  ++totals_.solves[static_cast<int>(result.outcome)];
  group.tried_at = model_.gain_version();
  if (result.outcome != Outcome::kPlaced) {
    SetReason(group, result.outcome,
              ShortReason(model_.tree(), request, result, fmt::format("gang {}", group.name)));
    return false;
  }
  GANGPLAN_CHECK(result.members.size() == wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    Hold(group, wanted[i], model_.NodeOfLeaf(result.members[i].leaf));
  group.outcome = Outcome::kPlaced;
  group.reason.clear();
  group.tell_owner = false;
  return true;
}

void Planner::Solve(absl::Time now, Group& group) {
  bool placed = PlaceWanted(now, group, WantedSlots(group));
  if (placed) ++group.plans;
  Fire(now, group, placed ? GroupEvent::kPlanFound : GroupEvent::kPlanFailed);
  if (placed) NominateAll(group);
}

void Planner::Refill(absl::Time now, Group& group) {
  bool placed = PlaceWanted(now, group, WantedSlots(group));
  if (!placed) {
    Release(group,
            fmt::format("gang {}: a planned node was lost, the gang is planned anew", group.name));
    placed = PlaceWanted(now, group, WantedSlots(group));
    if (placed) ++group.plans;
  }
  Fire(now, group, placed ? GroupEvent::kPlanFound : GroupEvent::kPlanFailed);
  if (placed) NominateAll(group);
}

void Planner::SetReason(Group& group, Outcome outcome, std::string reason) {
  group.tell_owner = group.tell_owner || group.reason != reason;
  group.outcome = outcome;
  group.reason = std::move(reason);
}

void Planner::Hold(Group& group, int32_t index, NodeIndex node) {
  Slot& slot = group.slots[index];
  GANGPLAN_CHECK(slot.state == SlotState::kEmpty);
  group.SetState(index, SlotState::kHeld);
  slot.lost = false;
  slot.node = node;
  model_.AddHold(node, group.shape);
  holds_[node].emplace_back(&group, index);
  if (Member* member = MemberAt(group, index)) {
    member->nominations = 0;
    member->nomination_stood = false;
    member->nominate_at = absl::InfiniteFuture();
  }
}

void Planner::Unhold(Group& group, int32_t index, SlotState next) {
  Slot& slot = group.slots[index];
  GANGPLAN_CHECK(slot.state == SlotState::kHeld || slot.state == SlotState::kPosting);
  model_.RemoveHold(slot.node, group.shape);
  auto it = holds_.find(slot.node);
  std::erase(it->second, HoldRef(&group, index));
  if (it->second.empty()) holds_.erase(it);
  group.SetState(index, next);
  if (next == SlotState::kEmpty) slot.node = kNoNode;
}

void Planner::Release(Group& group, std::string_view why) {
  for (auto& [uid, member] : group.members) DropCall(group, member, why);
  for (size_t i = 0; i < group.slots.size(); ++i) {
    if (group.slots[i].state == SlotState::kHeld)
      Unhold(group, static_cast<int32_t>(i), SlotState::kEmpty);
  }
}

void Planner::ReleaseVacant(Group& group) {
  for (size_t i = 0; i < group.slots.size(); ++i) {
    if (group.slots[i].state == SlotState::kHeld && group.slots[i].member.empty())
      Unhold(group, static_cast<int32_t>(i), SlotState::kEmpty);
  }
}

Member* Planner::MemberAt(Group& group, int32_t index) {
  auto it = group.members.find(group.slots[index].member);
  return it == group.members.end() ? nullptr : &it->second;
}

// A member's own rank first; then a slot with a node; then any vacant one.
int32_t Planner::FreeSlotFor(const Group& group, const Member& member) const {
  auto vacant = [&](const Slot& slot) { return slot.member.empty(); };
  if (member.rank >= 0 && member.rank < group.size && vacant(group.slots[member.rank]))
    return member.rank;
  int32_t best = -1;
  auto worth = [&](int32_t i) {
    return 2 - static_cast<int>(group.slots[i].state != SlotState::kHeld) -
           static_cast<int>(group.slots[i].state == SlotState::kFinished);
  };
  for (int32_t i = 0; i < group.size; ++i) {
    if (vacant(group.slots[i]) && (best < 0 || worth(i) > worth(best))) best = i;
  }
  return best;
}

void Planner::AssignSlot(Group& group, Member& member) {
  if (member.slot >= 0 || !member.problem.empty() || member.finished) return;
  member.slot = FreeSlotFor(group, member);
  SetSlotless(group, member, member.slot < 0);
  if (member.slot < 0) return;
  if (group.slots[member.slot].state == SlotState::kFinished) group.SetSlot(member.slot, Slot{});
  group.slots[member.slot].member = member.pod.uid;
}

void Planner::SetSlotless(Group& group, Member& member, bool slotless) {
  group.slotless += static_cast<int32_t>(slotless) - static_cast<int32_t>(member.slotless);
  member.slotless = slotless;
}

// After a slot was vacated: it goes to who waits for one.
void Planner::AssignSlots(Group& group) {
  if (group.slotless == 0) return;
  std::vector<Member*> unranked;
  for (auto& [uid, member] : group.members) {
    bool own = member.rank >= 0 && member.rank < group.size;
    if (own)
      AssignSlot(group, member);
    else
      unranked.push_back(&member);
  }
  // First seen, first slot; pods seen at one moment by name.
  std::sort(unranked.begin(), unranked.end(), [](const Member* a, const Member* b) {
    return std::tie(a->seen, a->pod.name, a->pod.uid) < std::tie(b->seen, b->pod.name, b->pod.uid);
  });
  for (Member* member : unranked) AssignSlot(group, *member);
}

// A Binding in doubt may be written again: to the same node, where its room is held.
bool Planner::MayGo(const Group& group, const Member& member) {
  if (member.slot < 0) return false;
  SlotState state = group.slots[member.slot].state;
  return state == SlotState::kHeld || (state == SlotState::kPosting && member.doubtful);
}

void Planner::NominateAll(Group& group) {
  for (auto& [uid, member] : group.members) Nominate(group, member);
}

// A member that filter would let through is shown its node before it asks; one that was told to
// wait is woken by it. Never twice for one slot, except by RenewNomination.
void Planner::Nominate(Group& group, Member& member) {
  if (!MayGo(group, member) || member.call || !synced_ || member.nominations > 0) return;
  const Slot& slot = group.slots[member.slot];
  bool sampled = model_.node_count() >= options_.nominate_from;
  const std::string& node = model_.NodeName(slot.node);
  if (!member.rejected && (!sampled || member.nominated == node)) return;
  ++member.nominations;
  MarkRejected(member, false);
  member.nomination_stood = false;
  member.nominate_at = absl::InfiniteFuture();
  effects_.push_back(NominatePod{member.pod, node});
}

void Planner::MarkRejected(Member& member, bool rejected) {
  rejected_pods_ += static_cast<int>(rejected) - static_cast<int>(member.rejected);
  member.rejected = rejected;
}

bool Planner::SlotStands(const Group& group, int32_t index) const {
  const Slot& slot = group.slots[index];
  return model_.MayUse(slot.node, group.shape) &&
         model_.HasRoom(slot.node, group.demand, group.demand);
}

// Takes away the slots that `node` can no longer keep: of the least priority first, then of the
// youngest group, then of the highest rank. Bindings on their way are left: they cannot come back.
void Planner::CheckNode(absl::Time now, NodeIndex node) {
  LoseHolds(now, node, [this](const Group& group, int32_t i) { return SlotStands(group, i); });
}

void Planner::LoseHolds(absl::Time now, NodeIndex node,
                        const std::function<bool(const Group&, int32_t)>& stands) {
  auto it = holds_.find(node);
  if (it == holds_.end()) return;
  std::vector<HoldRef> refs = it->second;
  std::sort(refs.begin(), refs.end(), [](const HoldRef& a, const HoldRef& b) {
    return std::make_tuple(a.first->priority, -a.first->id, -a.second) <
           std::make_tuple(b.first->priority, -b.first->id, -b.second);
  });
  std::vector<int64_t> shaken;
  for (const auto& [group, index] : refs) {
    if (stands(*group, index)) continue;
    if (group->slots[index].state == SlotState::kPosting) {
      group->slots[index].lost = true;
      continue;
    }
    if (Member* member = MemberAt(*group, index))
      DropCall(
          *group, *member,
          fmt::format("gang {}: the planned node {} was lost", group->name, model_.NodeName(node)));
    Unhold(*group, index, SlotState::kEmpty);
    shaken.push_back(group->id);
  }
  shaken.erase(std::unique(shaken.begin(), shaken.end()), shaken.end());
  std::reverse(shaken.begin(), shaken.end());  // the greatest priority looks for new room first
  for (int64_t id : shaken) {
    auto found = groups_.find(id);
    if (found != groups_.end()) Fire(now, *found->second, GroupEvent::kSlotLost);
  }
}

}  // namespace gangplan
