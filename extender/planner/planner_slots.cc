// Slots: which member has which, what is held for it, and which node it is shown.
#include <algorithm>
#include <tuple>

#include "extender/planner/planner.h"
#include "topology/base/check.h"

namespace gangplan {

void Planner::Hold(Group& group, int32_t index, NodeIndex node) {
  Slot& slot = group.slots[index];
  GANGPLAN_CHECK(slot.state == SlotState::kEmpty);
  group.SetState(index, SlotState::kHeld);
  slot.lost = false;
  slot.node = node;
  model_.AddHold(node, group.SetOf(index).shape);
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
  model_.RemoveHold(slot.node, group.SetOf(index).shape);
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

// Its slot by its rank; -1: any of its pod set will do. What is beyond the pod set is kept.
int32_t Planner::OwnSlot(const Group& group, const Member& member) {
  const GroupPodSet& set = group.pod_sets[member.pod_set];
  const int32_t rank = member.indexed ? member.rank - set.first_index : member.rank;
  return rank < 0 || rank >= set.count ? -1 : set.first + rank;
}

// A member's own rank first; then a slot of its pod set with a node; then any vacant one of it.
// Sakkara's rank 0 is left to the master for as long as there is another.
int32_t Planner::FreeSlotFor(const Group& group, const Member& member) {
  auto vacant = [&](const Slot& slot) { return slot.member.empty(); };
  const int32_t own = OwnSlot(group, member);
  if (own >= 0 && vacant(group.slots[own])) return own;
  int32_t best = -1;
  auto worth = [&](int32_t i) {
    return 2 - static_cast<int>(group.slots[i].state != SlotState::kHeld) -
           static_cast<int>(group.slots[i].state == SlotState::kFinished);
  };
  const GroupPodSet& set = group.pod_sets[member.pod_set];
  for (int32_t rank = 0; rank < set.count; ++rank) {
    const int32_t i = set.first + (rank + static_cast<int32_t>(group.sakkara)) % set.count;
    if (vacant(group.slots[i]) && (best < 0 || worth(i) > worth(best))) best = i;
  }
  return best;
}

// What is bound keeps its rank: a member that a restart has read before it, and that has no node,
// makes way and is returned.
Member* Planner::VacateFor(Group& group, const Member& member) {
  const int32_t own = OwnSlot(group, member);
  if (own < 0 || group.slots[own].state != SlotState::kEmpty) return nullptr;
  Member* other = MemberAt(group, own);
  if (other == nullptr) return nullptr;
  group.slots[own].member.clear();
  other->slot = -1;
  return other;
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
    if (!member.problem.empty()) continue;
    if (OwnSlot(group, member) >= 0)
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
  effects_.push_back(Nomination{member.pod, node});
}

void Planner::MarkRejected(Member& member, bool rejected) {
  rejected_pods_ += static_cast<int>(rejected) - static_cast<int>(member.rejected);
  member.rejected = rejected;
}

bool Planner::SlotStands(const Group& group, int32_t index) const {
  const Slot& slot = group.slots[index];
  const GroupPodSet& set = group.SetOf(index);
  return model_.MayUse(slot.node, set.shape) && model_.HasRoom(slot.node, set.demand, set.demand);
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
