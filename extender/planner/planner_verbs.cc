// Filter and preempt.
#include <algorithm>
#include <numeric>

#include "extender/planner/limits.h"
#include "extender/planner/planner.h"

namespace gangplan {
namespace {

constexpr int32_t kSystemPriority = 2'000'000'000;  // system-cluster-critical and above

FilterDecision Failure(std::string error) {
  FilterDecision decision;
  decision.error = std::move(error);
  return decision;
}

FilterDecision RejectAll(const Offer& offer, std::string text) {
  FilterDecision decision;
  decision.rejected.resize(offer.size());
  std::iota(decision.rejected.begin(), decision.rejected.end(), 0);
  decision.text = std::move(text);
  return decision;
}

FilterDecision PassOnly(const Offer& offer, int32_t index, std::string text) {
  FilterDecision decision = RejectAll(offer, std::move(text));
  decision.rejected.erase(decision.rejected.begin() + index);
  decision.passed.push_back(index);
  return decision;
}

int32_t IndexOf(const Offer& offer, std::string_view name) {
  auto it = std::find(offer.begin(), offer.end(), name);
  return it == offer.end() ? -1 : static_cast<int32_t>(it - offer.begin());
}

void Add(ResourceList& sum, const ResourceList& more) {
  for (const ResourceAmount& entry : more) {
    auto it = std::lower_bound(
        sum.begin(), sum.end(), entry,
        [](const ResourceAmount& a, const ResourceAmount& b) { return a.name < b.name; });
    if (it != sum.end() && it->name == entry.name) {
      it->amount += entry.amount;
    } else {
      sum.insert(it, entry);
    }
  }
}

}  // namespace

// The scheduler may know a pod before the watch has shown it, or that its gate is gone; and there
// may be place for its group by now.
Planner::PodRecord& Planner::Asked(absl::Time now, const PodFacts& pod) {
  if (!pods_.contains(pod.uid)) RecordOf(pod);
  PodRecord& record = pods_.at(pod.uid);
  if (record.group == nullptr && record.node.empty() && !record.leaving) FindGroup(now, pod);
  return record;
}

FilterDecision Planner::Filter(absl::Time now, const PodFacts& pod, const Offer& offer) {
  if (!synced_) return Failure(NotReady());
  if (tombstones_.contains(pod.uid)) return Failure("the pod was deleted");
  PodRecord& record = Asked(now, pod);
  if (record.leaving) return Failure("the pod is being deleted or has finished");
  if (record.group != nullptr) {
    if (recovering_) return Failure("gangplan is still finding its groups again");
    return FilterMember(now, *record.group, record.group->members.at(pod.uid), pod, offer);
  }
  if (record.kin == Kin::kWaitsForOwner)
    return Failure("gangplan is reading the pod's owner to learn its group");
  if (record.kin == Kin::kTooMany)
    return Failure(fmt::format("gangplan already keeps {} groups, its limit", kMaxGroups));
  if (!record.posting.empty()) return Failure("the pod's Binding is on its way");
  return FilterForeign(pod, offer);
}

// The holds on `node` that give way to a pod of `priority`.
ResourceList Planner::Yielding(NodeIndex node, int32_t priority) const {
  ResourceList sum;
  auto it = holds_.find(node);
  if (it == holds_.end()) return sum;
  for (const auto& [group, index] : it->second) {
    bool yields = priority > group->priority || priority >= kSystemPriority;
    if (yields && group->slots[index].state == SlotState::kHeld)
      Add(sum, group->SetOf(index).demand);
  }
  return sum;
}

bool Planner::KeptByHolds(NodeIndex node, const ResourceList& requests, int32_t priority) const {
  if (!holds_.contains(node) || model_.HasRoom(node, requests)) return false;
  return !model_.HasRoom(node, requests, Yielding(node, priority));
}

FilterDecision Planner::FilterForeign(const PodFacts& pod, const Offer& offer) {
  FilterDecision decision;
  decision.passed.reserve(offer.size());
  bool any_hold = !holds_.empty();
  for (int32_t i = 0; i < static_cast<int32_t>(offer.size()); ++i) {
    NodeIndex node = any_hold ? model_.FindNode(offer[i]) : kNoNode;
    bool kept = node != kNoNode && KeptByHolds(node, pod.requests, pod.priority);
    (kept ? decision.rejected : decision.passed).push_back(i);
  }
  decision.text = "room is held for a gang";
  return decision;
}

FilterDecision Planner::FilterMember(absl::Time now, Group& group, Member& member,
                                     const PodFacts& pod, const Offer& offer) {
  if (!group.stale.empty() && !member.doubtful) {
    return Failure(
        fmt::format("gang {}: {}; the gang is planned anew when the Bindings on their way are done",
                    group.name, group.stale));
  }
  if (!member.problem.empty())
    return RejectAll(offer, fmt::format("gang {}: invalid: {}", group.name, member.problem));
  if (member.call)
    DropCall(group, member, "the scheduler has forgotten this call: it asks for the pod again");
  bool waits = group.state == GroupState::kBlocked || group.state == GroupState::kNew;
  if (waits && group.tried_at != model_.gain_version())
    Fire(now, group, GroupEvent::kCapacityGained);
  member.asked = true;
  Fire(now, group, GroupEvent::kAsked);
  if (member.slot < 0) {
    MarkRejected(member, true);
    const GroupPodSet& set = group.pod_sets[member.pod_set];
    const std::string whose = group.pod_sets.size() == 1 ? "" : " of pod set " + set.name;
    return RejectAll(
        offer, fmt::format("gang {} already has its {} members{}", group.name, set.count, whose));
  }
  if (group.slots[member.slot].state == SlotState::kEmpty) return Wait(group, member, offer);
  if (!MayGo(group, member)) return Failure("the pod's Binding is on its way");
  return FilterSlot(now, group, member, pod, offer);
}

// Few waiting pods are rejected, and woken by events; many answer Error and are polled, because
// every event in the cluster would wake all of the rejected ones.
FilterDecision Planner::Wait(Group& group, Member& member, const Offer& offer) {
  std::string text =
      group.reason.empty() ? fmt::format("gang {} waits for room", group.name) : group.reason;
  if (!topology_fault_.empty()) text += fmt::format("; {}", topology_fault_);
  bool few = member.rejected || rejected_pods_ < options_.reject_max;
  if (!few) return Failure(std::move(text));
  MarkRejected(member, true);
  return RejectAll(offer, std::move(text));
}

FilterDecision Planner::FilterSlot(absl::Time now, Group& group, Member& member,
                                   const PodFacts& pod, const Offer& offer) {
  MarkRejected(member, false);
  std::string text = fmt::format("gang {}: planned on another node", group.name);
  const std::string planned = model_.NodeName(group.slots[member.slot].node);
  int32_t index = IndexOf(offer, planned);
  if (index >= 0) return PassOnly(offer, index, std::move(text));
  // The scheduler asks for the nominated node only: the whole list follows.
  if (offer.size() == 1 && offer.front() == pod.nominated_node_name)
    return RejectAll(offer, std::move(text));
  if (!member.doubtful && SwapSlot(group, member, offer)) {
    index = IndexOf(offer, model_.NodeName(group.slots[member.slot].node));
    return PassOnly(offer, index, std::move(text));
  }
  if (member.doubtful && pod.nominated_node_name == planned)
    return Failure("the pod's Binding is on its way");
  MarkRejected(member, true);
  if (pod.nominated_node_name == planned) {
    Avoid(now, group, member);
    if (member.slot >= 0 && group.slots[member.slot].state == SlotState::kEmpty)
      return Wait(group, member, offer);
  } else if (member.nominations == 0) {
    Nominate(group, member);
    MarkRejected(member, true);
  } else if (member.nominate_at == absl::InfiniteFuture()) {
    member.nominate_at = now + kNominationBackoff * (1 << (member.nominations - 1));
  }
  return RejectAll(
      offer, fmt::format("gang {}: the scheduler did not offer the planned node", group.name));
}

// An unranked member may take any open slot of its pod set whose node is offered and whose own
// member, if any, is not in bind.
bool Planner::SwapSlot(Group& group, Member& member, const Offer& offer) {
  if (member.rank >= 0) return false;
  TextSet offered(offer.begin(), offer.end());
  const GroupPodSet& set = group.pod_sets[member.pod_set];
  for (int32_t i = set.first; i < set.first + set.count; ++i) {
    Slot& slot = group.slots[i];
    if (i == member.slot || slot.state != SlotState::kHeld) continue;
    Member* other = MemberAt(group, i);
    if (other != nullptr && (other->call || other->rank >= 0)) continue;
    if (!offered.contains(model_.NodeName(slot.node))) continue;
    std::swap(slot.member, group.slots[member.slot].member);
    if (other != nullptr) {
      other->slot = member.slot;
      other->nominations = 0;
      Nominate(group, *other);
    }
    member.slot = i;
    member.nominations = 0;
    member.nominate_at = absl::InfiniteFuture();
    return true;
  }
  return false;
}

// The scheduler was pointed to the planned node and does not offer it: it cannot take this shape,
// for a reason that is not modelled (ports, volumes, affinity). Plan around it for a while.
void Planner::Avoid(absl::Time now, Group& group, Member& member) {
  NodeIndex node = group.slots[member.slot].node;
  GroupPodSet& set = group.pod_sets[member.pod_set];
  if (set.avoided.size() == kMaxAvoidedNodes) set.avoided.erase(set.avoided.begin());
  set.avoided.emplace_back(model_.NodeName(node), now + kAvoidFor);
  for (int32_t i = set.first; i < set.first + set.count; ++i) {
    bool there = group.slots[i].state == SlotState::kHeld && group.slots[i].node == node;
    if (!there) continue;
    if (Member* other = MemberAt(group, i))
      DropCall(
          group, *other,
          fmt::format("gang {}: node {} cannot take its pods", group.name, model_.NodeName(node)));
    Unhold(group, i, SlotState::kEmpty);
  }
  if (!group.Started()) {
    Release(group, fmt::format("gang {}: node {} cannot take its pods, the gang is planned anew",
                               group.name, model_.NodeName(node)));
  }
  Fire(now, group, GroupEvent::kSlotLost);
}

// A gang never preempts pod by pod. A foreign pod may, but not for room that would go to a hold,
// and never by deleting members that wait in bind: their group lets go instead.
std::vector<int32_t> Planner::Preempt(absl::Time now, const PodFacts& pod,
                                      const std::vector<PreemptCandidate>& candidates) {
  std::vector<int32_t> kept;
  if (!synced_) return kept;
  const PodRecord& record = Asked(now, pod);
  if (record.group != nullptr || record.kin != Kin::kForeign || record.leaving) return kept;
  std::vector<Group*> waiting;  // of the first candidate that needs one
  for (int32_t i = 0; i < static_cast<int32_t>(candidates.size()); ++i) {
    const PreemptCandidate& candidate = candidates[i];
    ResourceList freed;
    std::vector<Group*> in_bind;
    for (std::string_view uid : candidate.victims) {
      auto victim = pods_.find(uid);
      if (victim == pods_.end()) continue;
      Group* group = victim->second.group;
      if (group && WaitsInBind(*group, group->members.at(victim->second.name.uid))) {
        in_bind.push_back(group);
      } else if (!victim->second.node.empty() || !victim->second.posting.empty()) {
        Add(freed, victim->second.requests);
      }
    }
    if (!in_bind.empty()) {
      if (waiting.empty()) waiting = in_bind;
      continue;
    }
    NodeIndex node = model_.FindNode(candidate.node);
    if (node == kNoNode) continue;
    Add(freed, Yielding(node, pod.priority));
    if (!holds_.contains(node) || model_.HasRoom(node, pod.requests, freed)) kept.push_back(i);
  }
  if (!kept.empty()) return kept;
  for (Group* group : waiting) {
    for (auto& [uid, member] : group->members) {
      if (WaitsInBind(*group, member))
        DropCall(*group, member,
                 fmt::format("gang {} gives way to a pod of higher priority", group->name));
    }
  }
  return kept;
}

}  // namespace gangplan
