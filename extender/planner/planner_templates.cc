// The pod sets of a group: their templates, and what they make of each other.
#include <algorithm>

#include "extender/planner/kueue_rules.h"
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

std::vector<PodSetCount> ListOf(const Group& group) {
  std::vector<PodSetCount> listed;
  for (const GroupPodSet& set : group.pod_sets) listed.push_back({set.name, set.count});
  return listed;
}

std::string ListDifference(const Group& group, const Membership& membership) {
  const std::vector<PodSetCount> listed = ListOf(group);
  if (listed == membership.pod_sets) return {};
  const int32_t size = MembersOf(membership.pod_sets);
  const bool alone = listed.size() == 1 && membership.pod_sets.size() == 1;
  if (alone && size != group.size)
    return fmt::format("asks for {} members where the group has {}", size, group.size);
  return fmt::format("{}: \"{}\" where the group has \"{}\"", kPodSetsWord,
                     PodSetsText(membership.pod_sets), PodSetsText(listed));
}

// Our own words are about the group, so all pod sets say the same; Kueue's are about a pod set.
std::string RuleDifference(const GroupPodSet& other, const Membership& membership) {
  const bool kueue = membership.strategy == Strategy::kTas;
  const bool other_kueue = other.strategy == Strategy::kTas;
  if (!kueue && !other_kueue && membership.rules != other.rules)
    return fmt::format("asks for \"{}\" where the group has \"{}\"", membership.place, other.place);
  const std::string& ours = kueue ? other.place : membership.place;
  if (kueue == other_kueue || ours.empty()) return {};
  return fmt::format(
      "asks for \"{}\" where pod set {} has \"{}\"; expected gangplan.io/place on both, or Kueue's "
      "topology words",
      membership.place, other.name, other.place);
}

// Of one whose pod set is known.
std::string TemplateDifference(const GroupPodSet& set, const PodFacts& pod,
                               const Membership& membership) {
  if (membership.rules != set.rules || membership.strategy != set.strategy)
    return fmt::format("asks for \"{}\" where the group has \"{}\"", membership.place, set.place);
  if (membership.kueue != set.kueue) return "has other words of Kueue than the rest of its pod set";
  if (pod.requests != set.demand) return "requests other resources than the rest of its pod set";
  if (pod.filter != set.filter)
    return "has another node selector, affinity or tolerations than the rest of its pod set";
  return {};
}

}  // namespace

Strategy Planner::StrategyOf(const Group& group) {
  if (group.sakkara) return Strategy::kExact;
  const bool kueue = std::any_of(
      group.pod_sets.begin(), group.pod_sets.end(),
      [](const GroupPodSet& set) { return set.known && set.strategy == Strategy::kTas; });
  return kueue ? Strategy::kTas : Strategy::kPack;
}

// What makes `pod` differ from its group's templates; empty when nothing does.
std::string Planner::Difference(const Group& group, const PodFacts& pod,
                                const Membership& membership) {
  if (group.size == 0) return {};
  std::string difference = ListDifference(group, membership);
  if (!difference.empty()) return difference;
  const GroupPodSet& own = group.pod_sets[membership.pod_set];
  if (own.known) return TemplateDifference(own, pod, membership);
  for (const GroupPodSet& other : group.pod_sets) {
    if (difference.empty() && other.known) difference = RuleDifference(other, membership);
  }
  return difference;
}

// The first sound member is the template of its pod set. True: there was none.
bool Planner::TakeTemplate(Group& group, const PodFacts& pod, const Membership& membership) {
  if (group.size == 0) {
    MakePodSets(group, membership.pod_sets);
    group.priority = pod.priority;
  }
  GroupPodSet& set = group.pod_sets[membership.pod_set];
  ++set.members;
  if (set.known) return false;
  set.known = true;
  set.place = membership.place;
  set.rules = membership.rules;
  set.strategy = membership.strategy;
  group.sakkara = membership.sakkara;
  group.object_priority = membership.object_priority;
  set.kueue = membership.kueue;
  set.demand = pod.requests;
  set.filter = pod.filter;
  set.preferred_terms = pod.preferred_terms;
  group.priority = std::max(group.priority, pod.priority);
  group.tried_at = kNever;
  --group.unseen;
  return true;
}

// Kueue's words on all pod sets: who goes with whom, and which index is rank 0. Members that were
// there before it was known get the slots of their ranks.
void Planner::KnowAll(Group& group) {
  if (StrategyOf(group) != Strategy::kTas) return;
  std::vector<KueuePodSet> words;
  for (const GroupPodSet& set : group.pod_sets) words.push_back({set.name, set.count, set.kueue});
  KueueGroups found = FindKueueGroups(words);
  group.fault = std::move(found.fault);
  bool moved = false;
  for (size_t i = 0; i < group.pod_sets.size(); ++i) {
    GroupPodSet& set = group.pod_sets[i];
    set.kueue_group = found.group[i];
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
  ++group.unseen;
  group.fault.clear();
  group.tried_at = kNever;
}

}  // namespace gangplan
