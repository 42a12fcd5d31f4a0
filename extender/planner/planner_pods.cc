// Facts come in: nodes, pods, owners; pods become members.
#include <algorithm>
#include <tuple>

#include "extender/planner/limits.h"
#include "extender/planner/planner.h"
#include "extender/protocol/sakkara_words.h"
#include "topology/base/check.h"
#include "topology/base/status_macros.h"

namespace gangplan {

Planner::Planner(PlannerOptions options)
    : options_(std::move(options)),
      membership_options_{options_.scheduler_names, options_.all_jobs, options_.topology,
                          options_.sakkara_groups ? &objects_ : nullptr},
      model_(options_.topology),
      levels_known_(options_.live_topology.empty()) {}

Planner::~Planner() = default;

absl::Status Planner::OnNode(absl::Time now, const NodeFacts& node) {
  NodeIndex index = model_.FindNode(node.name);
  bool moved = index != kNoNode && holds_.contains(index) && HasMoved(index, node);
  GANGPLAN_RETURN_IF_ERROR(model_.UpsertNode(node));
  index = model_.FindNode(node.name);
  if (moved) {
    LoseHolds(now, index, [](const Group&, int32_t) { return false; });
  } else {
    CheckNode(now, index);
  }
  return absl::OkStatus();
}

// It stands in another domain than the one for which it was chosen.
bool Planner::HasMoved(NodeIndex index, const NodeFacts& node) const {
  const NodeFacts* before = model_.Facts(index);
  if (before == nullptr) return false;
  auto value = [](const NodeFacts& facts, const Level& level) {
    const std::string* label = FindLabel(facts.labels, level.label);
    return label == nullptr ? std::string() : *label;
  };
  const auto& levels = membership_options_.topology.levels;
  return std::any_of(levels.begin(), levels.end(), [&](const Level& level) {
    return value(*before, level) != value(node, level);
  });
}

void Planner::OnNodeDeleted(absl::Time now, std::string_view name) {
  NodeIndex node = model_.FindNode(name);
  if (node == kNoNode) return;
  bool held = holds_.contains(node);
  model_.RemoveNode(name);
  if (held) CheckNode(now, node);
}

Planner::PodRecord& Planner::RecordOf(const PodFacts& pod) {
  auto [it, added] = pods_.try_emplace(pod.uid);
  PodRecord& record = it->second;
  if (added) {
    record.name = RefOf(pod);
    record.owner_uid = pod.controller ? pod.controller->uid : "";
    if (!record.owner_uid.empty()) {
      OwnerRecord& owner = owners_[record.owner_uid];
      ++owner.users;
      owner.ns = pod.ns;
      owner.ref = *pod.controller;
    }
  }
  record.requests = pod.requests;
  record.priority = pod.priority;
  return record;
}

// A Binding that we wrote counts from its 201 on, before the watch shows it.
void Planner::RecordUsage(absl::Time now, const PodFacts& pod, PodRecord& record) {
  record.node = pod.finished() ? "" : pod.node_name;
  record.leaving = pod.finished() || pod.terminating;
  if (!pod.node_name.empty()) record.posting.clear();
  const std::string& node = record.node.empty() && !pod.finished() ? record.posting : record.node;
  if (node.empty()) {
    model_.ErasePod(pod.uid);
    return;
  }
  model_.PutPod(pod.uid, node, pod.requests);
  if (!record.group) CheckNode(now, model_.FindNode(node));
}

void Planner::OnPod(absl::Time now, const PodFacts& pod) {
  if (tombstones_.contains(pod.uid)) return;
  PodRecord& record = RecordOf(pod);
  record.confirmed = true;
  if (record.group == nullptr) {
    RecordUsage(now, pod, record);
    FindGroup(now, pod);
    return;
  }
  Group& group = *record.group;
  UpdateMember(now, group, group.members.at(pod.uid), pod);
}

// Only a pod that may still start, or that we bound, is worth the question.
void Planner::FindGroup(absl::Time now, const PodFacts& pod) {
  bool bound = !pod.node_name.empty();
  bool planned = FindLabel(pod.annotations, kPlanWord) != nullptr;
  bool ours = planned || ReadWords(pod.annotations, pod.labels).any() ||
              FindLabel(pod.labels, kSakkaraPodGroup) != nullptr;
  bool ran = pod.phase == PodPhase::kSucceeded && planned;
  PodRecord& record = pods_.at(pod.uid);
  record.kin = Kin::kForeign;
  if (auto asked = owners_.find(record.owner_uid); asked != owners_.end())
    asked->second.waiting.erase(pod.uid);
  if ((pod.finished() && !ran) || pod.gated || pod.terminating || (bound && !ours)) return;
  const OwnerRecord* owner = OwnerOf(pod);
  bool known = owner == nullptr || owner->known;
  const OwnerFacts* facts = owner && owner->facts ? &*owner->facts : nullptr;
  Membership membership = FindMembership(pod, facts, known, membership_options_);
  if (membership.kind == Membership::Kind::kForeign) return;
  if (membership.kind == Membership::Kind::kNeedsOwner) {
    record.kin = Kin::kWaitsForOwner;
    OwnerRecord& asked = owners_.at(pod.controller->uid);
    asked.waiting[pod.uid] = pod;
    AskOwner(asked);
    return;
  }
  Join(now, pod, membership);
}

Group* Planner::GroupFor(const PodFacts& pod, const Membership& membership) {
  auto it = groups_by_key_.find(membership.key);
  if (it != groups_by_key_.end()) return it->second;
  if (groups_.size() >= kMaxGroups && !ForgetDoneGroup()) return nullptr;
  auto group = std::make_unique<Group>();
  group->id = next_group_id_++;
  group->key = membership.key;
  group->name = fmt::format("{}/{}", membership.key.ns, membership.key.name);
  group->owner = pod.controller;
  Group* raw = group.get();
  groups_by_key_.emplace(group->key, raw);
  groups_.emplace(group->id, std::move(group));
  return raw;
}

// Finished Jobs may stay for days; the oldest group that is done makes place for a new one.
bool Planner::ForgetDoneGroup() {
  for (auto& [id, group] : groups_) {
    if (group->state != GroupState::kDone) continue;
    for (const auto& [uid, member] : group->members) {
      pods_.at(uid).group = nullptr;
      pods_.at(uid).facts.reset();
    }
    EraseGroup(*group);
    return true;
  }
  return false;
}

void Planner::Join(absl::Time now, const PodFacts& pod, const Membership& membership) {
  Group* found = GroupFor(pod, membership);
  PodRecord& record = pods_.at(pod.uid);
  if (found == nullptr) {
    record.kin = Kin::kTooMany;
    return;
  }
  Group& group = *found;
  record.group = &group;
  KeepFacts(record, pod);
  Member& member = group.members[pod.uid];
  member.pod = record.name;
  member.pod_set = membership.pod_set;
  member.rank = membership.rank;
  member.indexed = membership.indexed;
  member.seen = now;
  member.confirmed = record.confirmed;
  bool sound = membership.kind == Membership::Kind::kMember;
  member.problem = sound ? Difference(group, pod, membership) : membership.problem;
  member.nominated = pod.nominated_node_name;
  if (!member.problem.empty()) {
    group.tell_owner = true;
    return;
  }
  bool news = TakeTemplate(group, pod, membership);
  if (!pod.node_name.empty()) Adopt(group, member, pod);
  if (pod.finished()) MemberFinished(now, group, member, pod);
  AssignSlot(group, member);
  if (news && group.unseen == 0) KnowAll(group);
  if (synced_ && !recovering_) {
    if (news && group.state == GroupState::kBlocked) Fire(now, group, GroupEvent::kCapacityGained);
    Fire(now, group, GroupEvent::kMembersChanged);
    Nominate(group, member);
  }
}

// A member that is bound already: by us before a restart, or by someone else.
void Planner::Adopt(Group& group, Member& member, const PodFacts& pod) {
  const std::string* text = FindLabel(pod.annotations, kAssignedRankWord);
  if (text != nullptr) {
    const int32_t last = group.pod_sets[member.pod_set].count - 1;
    absl::StatusOr<int32_t> rank = ParseCount(kAssignedRankWord, *text, 0, last);
    if (rank.ok()) member.rank = *rank;
    if (rank.ok()) member.indexed = false;
  }
  Member* displaced = VacateFor(group, member);
  member.slot = FreeSlotFor(group, member);
  if (member.slot < 0) return;
  Slot& slot = group.slots[member.slot];
  if (slot.state == SlotState::kHeld) Unhold(group, member.slot, SlotState::kEmpty);
  group.SetSlot(member.slot, {SlotState::kBound, model_.FindNode(pod.node_name), pod.uid});
  if (displaced != nullptr) AssignSlot(group, *displaced);
}

void Planner::UpdateMember(absl::Time now, Group& group, Member& member, const PodFacts& pod) {
  PodRecord& record = pods_.at(pod.uid);
  member.confirmed = true;
  member.nominated = pod.nominated_node_name;
  KeepFacts(record, pod);
  RecordUsage(now, pod, record);
  if (member.finished) return;
  if (pod.finished()) {
    MemberFinished(now, group, member, pod);
  } else if (pod.terminating) {
    LeaveGroup(now, group, pod.uid, "is being deleted");
  } else if (!pod.node_name.empty()) {
    MemberBound(now, group, member, pod);
  } else {
    RenewNomination(now, group, member);
  }
}

// The watch shows whether the nomination stands. One that an attempt in flight has cleared is sent
// again later, three times at most; then the slot is taken for useless.
void Planner::RenewNomination(absl::Time now, Group& group, Member& member) {
  if (!MayGo(group, member) || member.nominations == 0 || member.call) return;
  bool stands = member.nominated == model_.NodeName(group.slots[member.slot].node);
  bool cleared = member.nomination_stood && !stands;
  member.nomination_stood = stands;
  if (!cleared || member.nominate_at != absl::InfiniteFuture()) return;
  member.nominate_at = now + kNominationBackoff * (1 << (member.nominations - 1));
}

void Planner::MemberBound(absl::Time now, Group& group, Member& member, const PodFacts& pod) {
  NodeIndex node = model_.FindNode(pod.node_name);
  bool as_planned = true;
  if (member.slot >= 0) {
    Slot& slot = group.slots[member.slot];
    if (slot.state == SlotState::kBound && slot.node == node) {
      CheckNode(now, node);  // the pod may have grown
      return;
    }
    as_planned = slot.node == node;
    member.doubtful = false;
    if (slot.state == SlotState::kHeld || slot.state == SlotState::kPosting)
      Unhold(group, member.slot, SlotState::kEmpty);
    group.SetSlot(member.slot, {SlotState::kBound, node, pod.uid});
  }
  DropCall(group, member,
           as_planned ? std::string() : fmt::format("the pod is bound to {}", pod.node_name));
  CheckNode(now, node);
  Fire(now, group, GroupEvent::kSettled);
  Fire(now, group, GroupEvent::kMembersChanged);
}

// One that has succeeded stays a member until it is deleted, so that a replacement of another one
// still finds a group that runs. One that has failed is replaced or not: its slot is vacant.
void Planner::MemberFinished(absl::Time now, Group& group, Member& member, const PodFacts& pod) {
  int32_t index = member.slot;
  const bool ran = pod.phase == PodPhase::kSucceeded && !pod.node_name.empty();
  if (!member.problem.empty() && ran) return;  // it counts when its words can be read again
  if (pod.phase == PodPhase::kFailed || pod.node_name.empty() || index < 0) {
    std::string uid = member.pod.uid;
    LeaveGroup(now, group, uid, "has finished");
    return;
  }
  Slot& slot = group.slots[index];
  if (slot.state == SlotState::kHeld || slot.state == SlotState::kPosting) {
    bool there = model_.NodeName(slot.node) == pod.node_name;
    DropCall(group, member, there ? "" : "the pod has run on another node");
    Unhold(group, index, SlotState::kEmpty);
  }
  group.SetSlot(index, {SlotState::kFinished, kNoNode, ""});
  member.rank = index - group.SetOf(index).first;  // the slot forgets its member
  member.slot = -1;
  member.finished = true;
  ++group.finished;
  member.doubtful = false;
  MarkRejected(member, false);
  AssignSlots(group);
  Fire(now, group, GroupEvent::kFinished);
}

void Planner::OnPodDeleted(absl::Time now, std::string_view uid_view) {
  std::string uid(uid_view);
  if (tombstones_.insert(uid).second) tombstone_order_.push_back(uid);
  if (tombstone_order_.size() > kMaxTombstones) {
    tombstones_.erase(tombstone_order_.front());
    tombstone_order_.pop_front();
  }
  ForgetPod(now, uid);
}

void Planner::ForgetPod(absl::Time now, const std::string& uid) {
  auto it = pods_.find(uid);
  if (it != pods_.end() && it->second.group != nullptr)
    LeaveGroup(now, *it->second.group, uid, "was deleted");
  model_.ErasePod(uid);
  if (it == pods_.end()) return;
  std::string owner_uid = it->second.owner_uid;
  if (it->second.call != 0) effects_.push_back(AnswerCall{it->second.call, "the pod was deleted"});
  pods_.erase(uid);
  DropOwner(owner_uid, uid);
}

// Takes the pod out of its group: its call is answered, its slot is vacant. A held slot stays held
// for a replacement until the deadline; a bound one is given up.
void Planner::LeaveGroup(absl::Time now, Group& group, const std::string& uid,
                         std::string_view why) {
  auto it = group.members.find(uid);
  if (it == group.members.end()) return;
  DropCall(group, it->second, fmt::format("pod {} {}", it->second.pod.name, why));
  MarkRejected(it->second, false);
  int32_t index = it->second.slot;
  group.finished -= static_cast<int32_t>(it->second.finished);
  SetSlotless(group, it->second, false);
  const bool sound = it->second.problem.empty();
  const int32_t pod_set = it->second.pod_set;
  group.members.erase(it);
  if (auto record = pods_.find(uid); record != pods_.end()) {
    record->second.group = nullptr;
    record->second.facts.reset();
  }
  if (index >= 0) {
    Slot& slot = group.slots[index];
    slot.member.clear();
    if (slot.state == SlotState::kPosting) LeaveWhilePosting(group, index, uid);
    if (slot.state == SlotState::kBound) group.SetSlot(index, Slot{});
  }
  if (group.members.empty()) {
    EraseGroup(group);
    return;
  }
  if (sound) LeavePodSet(group, group.pod_sets[pod_set]);
  AssignSlots(group);
  if (synced_ && !recovering_) {
    Fire(now, group, GroupEvent::kMembersChanged);
    NominateAll(group);
  }
}

// The Binding may still land: until it is settled the room counts as the pod's own.
void Planner::LeaveWhilePosting(Group& group, int32_t index, const std::string& uid) {
  PodRecord& record = pods_.at(uid);
  record.posting = model_.NodeName(group.slots[index].node);
  Unhold(group, index, SlotState::kEmpty);
  model_.PutPod(uid, record.posting, record.requests);
}

void Planner::EraseGroup(Group& group) {
  Release(group, fmt::format("gang {} is gone", group.name));
  for (GroupPodSet& set : group.pod_sets) {
    if (set.shape >= 0) model_.ReleaseShape(set.shape);
  }
  groups_by_key_.erase(group.key);
  groups_.erase(group.id);
}

}  // namespace gangplan
