// Bind: calls that wait for their group, the commit, and what became of each Binding.
#include <algorithm>

#include "extender/planner/limits.h"
#include "extender/planner/planner.h"

namespace gangplan {
namespace {

// Measured: 1,500 Bindings take 2 s, 5.2 s under load.
constexpr absl::Duration kWriteTimePerPod = absl::Milliseconds(4);

// What one POST may take before its outcome is asked for.
absl::Duration PostTimeout(absl::Duration bind_timeout) {
  return std::min(absl::Seconds(10), bind_timeout / 4);
}

absl::Duration Margin(absl::Duration bind_timeout) {
  return std::min(absl::Seconds(5), bind_timeout / 10);
}

}  // namespace

BindDecision Planner::Bind(absl::Time now, CallId call, const PodRef& pod, std::string_view node,
                           absl::Time received) {
  if (!synced_) return {false, NotReady()};
  auto it = pods_.find(pod.uid);
  if (it == pods_.end()) return {false, "gangplan does not know this pod"};
  PodRecord& record = it->second;
  if (record.node == node) return {false, ""};
  if (!record.node.empty())
    return {false, fmt::format("the pod is already bound to {}", record.node)};
  if (record.group != nullptr) {
    if (recovering_) return {false, "gangplan is still finding its groups again"};
    return BindMember(now, call, *record.group, record.group->members.at(pod.uid), node, received);
  }
  if (record.leaving) return {false, "the pod is being deleted or has finished"};
  if (record.kin != Kin::kForeign) return {false, "gangplan does not know this pod's group yet"};
  return BindForeign(now, call, record, node, received);
}

// No Binding is written for a call of that moment after this one.
absl::Time Planner::NotAfter(absl::Time received) const {
  absl::Duration timeout = options_.bind_timeout;
  return received + timeout - PostTimeout(timeout) - Margin(timeout);
}

BindDecision Planner::BindForeign(absl::Time now, CallId call, PodRecord& record,
                                  std::string_view node_name, absl::Time received) {
  if (record.call != 0) return {false, "a Binding of this pod is on its way"};
  if (now >= NotAfter(received)) return {false, "the call came too late to be written"};
  NodeIndex node = model_.FindNode(node_name);
  if (node == kNoNode || model_.Facts(node) == nullptr)
    return {false, fmt::format("node {} does not exist", node_name)};
  if (KeptByHolds(node, record.requests, record.priority))
    return {false, fmt::format("room on {} is held for a gang", node_name)};
  if (record.posting == node_name) return {false, ""};  // proved, the watch has not shown it yet
  // The scheduler's view may be older than ours: another one's pod, a Binding on its way.
  if (!model_.HasRoom(node, record.requests, Yielding(node, record.priority)))
    return {false, fmt::format("no room is left on {}", node_name)};
  record.call = call;
  record.posting = std::string(node_name);
  model_.PutPod(record.name.uid, node_name, record.requests);
  effects_.push_back(BindingWrite{record.name, record.posting, {}, NotAfter(received)});
  CheckNode(now, node);
  return {true, ""};
}

BindDecision Planner::BindMember(absl::Time now, CallId call, Group& group, Member& member,
                                 std::string_view node, absl::Time received) {
  auto refuse = [&](std::string_view why) {
    return BindDecision{false, fmt::format("gang {}: {}", group.name, why)};
  };
  if (member.call) DropCall(group, member, "the scheduler has sent another call for this pod");
  if (!member.problem.empty() || member.slot < 0) return refuse("the pod has no slot");
  Slot& slot = group.slots[member.slot];
  bool posting = slot.state == SlotState::kPosting;
  if (posting && !member.doubtful) return refuse("the pod's Binding is on its way");
  if ((slot.state != SlotState::kHeld && !posting) || model_.NodeName(slot.node) != node)
    return refuse("the plan has changed, the pod goes to another node");
  if (slot.lost || !SlotStands(group, member.slot)) {
    CheckNode(now, slot.node);
    return refuse("the planned node was lost");
  }
  HeldCall held;
  held.id = call;
  held.not_after = NotAfter(received);
  held.call_off = held.not_after - kWriteTimePerPod * group.size;
  if (now >= held.call_off) return refuse("the call came too late to be held");
  member.call = held;
  ++group.in_bind;
  member.nominate_at = absl::InfiniteFuture();
  bool at_once = group.Started() || options_.start_at_first_member;
  if (at_once) {
    Post(group, member);
    Fire(now, group, GroupEvent::kCommitted);
  } else {
    Fire(now, group, GroupEvent::kCalled);
  }
  return {true, ""};
}

LabelSet Planner::Annotations(const Group& group, int32_t index) {
  int32_t leaf = model_.LeafOfNode(group.slots[index].node);
  const Tree& tree = model_.tree();
  std::string domain = leaf < 0 ? std::string() : tree.Path(tree.leaf_level(), leaf);
  return {{std::string(kAssignedDomainWord), std::move(domain)},
          {std::string(kAssignedRankWord), fmt::format("{}", index - group.SetOf(index).first)},
          {std::string(kPlanWord), fmt::format("{}.{}", group.key.name, group.plans)}};
}

void Planner::Post(Group& group, Member& member) {
  Slot& slot = group.slots[member.slot];
  if (!group.Started()) {
    for (const auto& [uid, one] : group.members)
      group.results.begin = std::min(group.results.begin.value_or(one.seen), one.seen);
  }
  group.SetState(member.slot, SlotState::kPosting);
  member.doubtful = false;
  std::erase_if(prove_later_,
                [&](const auto& entry) { return entry.second.pod.uid == member.pod.uid; });
  effects_.push_back(BindingWrite{member.pod, model_.NodeName(slot.node),
                                 Annotations(group, member.slot), member.call->not_after,
                                 MemberLabels(group, member.slot)});
}

void Planner::DropCall(Group& group, Member& member, std::string_view error) {
  if (!member.call) return;
  effects_.push_back(AnswerCall{member.call->id, std::string(error)});
  member.call.reset();
  --group.in_bind;
}

bool Planner::WaitsInBind(const Group& group, const Member& member) {
  return member.call && group.slots[member.slot].state == SlotState::kHeld;
}

void Planner::OnCallsClosed(const std::vector<CallId>& closed) {
  if (closed.empty()) return;
  absl::flat_hash_set<CallId> gone(closed.begin(), closed.end());
  for (auto& [id, group] : groups_) {
    for (auto& [uid, member] : group->members) {
      if (WaitsInBind(*group, member) && gone.contains(member.call->id))
        DropCall(*group, member, "the scheduler has closed this call");
    }
  }
}

void Planner::AnswerHeldCalls(std::string_view why) {
  for (auto& [id, group] : groups_) {
    for (auto& [uid, member] : group->members) {
      if (WaitsInBind(*group, member)) DropCall(*group, member, why);
    }
  }
}

// Whatever is wrong with a slot is mended before the first Binding, never after it.
bool Planner::CommitProblems(absl::Time now, Group& group) {
  std::vector<NodeIndex> lost;
  bool late = false;
  for (int32_t i = 0; i < group.size; ++i) {
    if (group.slots[i].state != SlotState::kHeld) continue;
    Member* member = MemberAt(group, i);
    if (member != nullptr && member->call && now >= member->call->call_off) {
      DropCall(group, *member,
               fmt::format("gang {}: too late to be written within the scheduler's time-out",
                           group.name));
      late = true;
    }
    if (!SlotStands(group, i)) lost.push_back(group.slots[i].node);
  }
  for (NodeIndex node : lost) CheckNode(now, node);
  return late || !lost.empty();
}

void Planner::Commit(absl::Time now, int64_t id, const std::vector<CallId>& closed) {
  OnCallsClosed(closed);
  auto it = groups_.find(id);
  if (it == groups_.end()) return;
  Group& group = *it->second;
  if (group.state != GroupState::kPlanned || CommitProblems(now, group)) return;
  if (!Holds(group, GroupGuard::kAllCalled)) return;
  for (int32_t i = 0; i < group.size; ++i) {
    if (group.slots[i].state == SlotState::kHeld) Post(group, *MemberAt(group, i));
  }
  Fire(now, group, GroupEvent::kCommitted);
}

void Planner::OnBindResult(absl::Time now, const PodRef& pod, std::string_view node,
                           int64_t attempt, const BindResult& result) {
  auto it = pods_.find(pod.uid);
  if (it == pods_.end()) return;
  if (result.outcome == BindOutcome::kUnknown) {
    Group* group = it->second.group;
    if (group != nullptr) {
      Member& member = group->members.at(pod.uid);
      member.doubtful = member.slot >= 0 && group->slots[member.slot].state == SlotState::kPosting;
    }
    prove_later_.emplace_back(now + kProveAgainAfter, BindingRead{pod, std::string(node), attempt});
    return;
  }
  PodRecord& record = it->second;
  if (record.group == nullptr) {
    SettleForeign(record, node, result);
    return;
  }
  SettleMember(now, *record.group, record.group->members.at(pod.uid), node, result);
}

void Planner::SettleForeign(PodRecord& record, std::string_view node, const BindResult& result) {
  const bool bound = result.outcome == BindOutcome::kBound;
  if (record.call != 0) {
    effects_.push_back(AnswerCall{record.call, bound ? std::string() : result.message});
    record.call = 0;
  }
  if (bound || record.posting != node) return;
  record.posting.clear();
  if (record.node.empty()) model_.ErasePod(record.name.uid);
}

void Planner::SettleMember(absl::Time now, Group& group, Member& member, std::string_view node,
                           const BindResult& result) {
  if (member.slot < 0) return;
  Slot& slot = group.slots[member.slot];
  if (slot.state != SlotState::kPosting || model_.NodeName(slot.node) != node) return;
  member.doubtful = false;
  if (result.outcome == BindOutcome::kBound) {
    PodRecord& record = pods_.at(member.pod.uid);
    Unhold(group, member.slot, SlotState::kBound);
    record.posting = std::string(node);
    model_.PutPod(member.pod.uid, node, record.requests);
    DropCall(group, member, "");
  } else {
    group.SetState(member.slot, SlotState::kHeld);
    DropCall(group, member,
             result.message.empty() ? "the Binding was not written" : result.message);
    LoseHolds(now, slot.node, [&](const Group& other, int32_t i) {
      return !other.slots[i].lost && SlotStands(other, i);
    });
    if (result.outcome == BindOutcome::kGone) {
      std::string uid = member.pod.uid;
      LeaveGroup(now, group, uid, "is gone");
      return;
    }
    member.nominations = 0;
    Nominate(group, member);
  }
  Fire(now, group, GroupEvent::kSettled);
}

}  // namespace gangplan
