// The pod sets of a group: their templates, and what they make of each other.
#include <algorithm>

#include "extender/planner/planner.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr uint64_t kNever = ~uint64_t{0};

void MakePodSets(Group& group, const std::vector<PodSetCount>& listed) {
  for (const PodSetCount& one : listed) {
    GroupPodSet& set = group.pod_sets.emplace_back();
    set.name = one.name;
    set.first = group.size;
    set.count = one.count;
    group.size += one.count;
  }
  group.unseen = static_cast<int32_t>(listed.size());
  group.slots.resize(static_cast<size_t>(group.size));
  group.slots_in = {group.size};
}

std::vector<PodSetSpec> SpecsOf(const Group& group) {
  return {group.pod_sets.begin(), group.pod_sets.end()};
}

std::vector<PodSetCount> ListOf(const Group& group) {
  std::vector<PodSetCount> listed;
  for (const GroupPodSet& set : group.pod_sets) listed.push_back({set.name, set.count});
  return listed;
}

// Of one whose pod set is known.
std::string TemplateDifference(const GroupPodSet& set, const PodFacts& pod, const GroupSpec& spec) {
  std::string difference = OwnDifference(set, spec);
  if (!difference.empty()) return difference;
  if (pod.requests != set.demand) return "requests other resources than the rest of its pod set";
  if (pod.filter != set.filter)
    return "has another node selector, affinity or tolerations than the rest of its pod set";
  return {};
}

}  // namespace

// What makes `pod` differ from its group's templates; empty when nothing does.
std::string Planner::Difference(const Group& group, const PodFacts& pod,
                                const GroupSpec& spec) {
  if (group.size == 0) return {};
  std::string difference = ListDifference(ListOf(group), spec);
  if (!difference.empty()) return difference;
  const GroupPodSet& own = group.pod_sets[spec.pod_set];
  if (own.known) return TemplateDifference(own, pod, spec);
  for (const GroupPodSet& other : group.pod_sets) {
    if (difference.empty() && other.known) difference = OtherDifference(other, spec);
  }
  return difference;
}

// The first sound member is the template of its pod set. True: there was none.
bool Planner::TakeTemplate(Group& group, const PodFacts& pod, const GroupSpec& spec) {
  if (group.size == 0) {
    MakePodSets(group, spec.pod_sets);
    group.priority = pod.priority;
  }
  GroupPodSet& set = group.pod_sets[spec.pod_set];
  ++set.members;
  if (set.known) return false;
  set.known = true;
  static_cast<PodSetSpec&>(set) = spec.Own();
  group.front_end = FrontEndOf(SpecsOf(group));
  group.object_priority = spec.object_priority;
  set.demand = pod.requests;
  set.filter = pod.filter;
  set.preferred_terms = pod.preferred_terms;
  group.priority = std::max(group.priority, pod.priority);
  group.tried_at = kNever;
  --group.unseen;
  return true;
}

// With a pod of each pod set seen: who goes with whom, and which index is rank 0. Members that were
// there before it was known get the slots of their ranks.
void Planner::KnowAll(Group& group) {
  PodSetTies found = group.front_end->Tie(SpecsOf(group));
  group.fault = std::move(found.fault);
  bool moved = false;
  for (size_t i = 0; i < group.pod_sets.size(); ++i) {
    GroupPodSet& set = group.pod_sets[i];
    set.tie = found.group[i];
    moved = moved || set.first_index != found.offset[i];
    set.first_index = found.offset[i];
  }
  if (!moved) return;
  for (auto& [uid, member] : group.members) {
    if (member.slot < 0 || group.slots[member.slot].state != SlotState::kEmpty) continue;
    group.slots[member.slot].member.clear();
    member.slot = -1;
    SetSlotless(group, member, true);
  }
  AssignSlots(group);
}

// One member less. When none is left of a pod set of which nothing is held or has begun, the next
// one tells the template anew: a template that was wrong can be mended while the others wait.
void Planner::LeavePodSet(Group& group, GroupPodSet& set) {
  if (--set.members > 0 || group.pod_sets.size() == 1 || group.Started()) return;
  const auto first = group.slots.begin() + set.first;
  const bool empty = std::all_of(first, first + set.count,
                                 [](const Slot& slot) { return slot.state == SlotState::kEmpty; });
  if (!empty) return;
  if (set.shape >= 0) model_.ReleaseShape(set.shape);
  GroupPodSet fresh;
  fresh.name = set.name;
  fresh.first = set.first;
  fresh.count = set.count;
  set = std::move(fresh);
  if (const FrontEnd* left = FrontEndOf(SpecsOf(group))) group.front_end = left;
  ++group.unseen;
  group.fault.clear();
  group.tried_at = kNever;
}

}  // namespace gangplan
