// Other levels while groups stand, or other words of a group. What is bound or on its way keeps its
// place; all else is let go, and the groups are read again from their pods' own words, as after a
// restart.
#include <algorithm>
#include <tuple>

#include "extender/planner/planner.h"

namespace gangplan {

// A member on its way out of its group and back.
struct Planner::Returner {
  PodFacts pod;
  absl::Time seen;
  bool waits = false;  // was told to wait: only an event wakes it

  // What is bound comes first and takes the slot that it had; then the order of arrival.
  friend bool operator<(const Returner& a, const Returner& b) {
    const auto key = [](const Returner& one) {
      return std::make_tuple(one.pod.node_name.empty(), one.seen, std::string_view(one.pod.name),
                             std::string_view(one.pod.uid));
    };
    return key(a) < key(b);
  }
};

// What is left of groups until their pods return.
struct Planner::Dissolved {
  struct Past {
    GroupTimes times;
    int32_t plans = 0;
  };
  std::vector<Returner> pods;
  std::map<GroupKey, Past> past;
};

// Why no verb is answered yet.
std::string Planner::NotReady() const {
  if (!listed_ || levels_known_) return "gangplan is still reading the cluster";
  std::string text = fmt::format("gangplan waits for {}", options_.live_topology);
  return topology_fault_.empty() ? text : fmt::format("{}; {}", text, topology_fault_);
}

void Planner::KeepFacts(PodRecord& record, const PodFacts& pod) const {
  const bool reread = !options_.live_topology.empty() || objects_ != nullptr;
  if (reread) record.facts = std::make_unique<PodFacts>(pod);
}

bool Planner::OnTopology(absl::Time now, const Topology& topology,
                         const std::vector<NodeFacts>& nodes) {
  if (options_.live_topology.empty() || topology.name != options_.topology.name) return false;
  const bool others = !levels_known_ || topology != group_options_.topology;
  if (!others && nodes.empty()) return false;
  const std::set<int64_t> shaken = GroupsOnMoved(nodes);
  levels_known_ = true;
  group_options_.topology = topology;
  if (others) model_.SetTopology(topology);
  for (const NodeFacts& node : nodes) model_.UpsertNode(node).IgnoreError();  // it is there already
  for (auto& [id, group] : groups_) {
    if (others || shaken.contains(id)) MakeStale(*group, "the topology has changed");
  }
  RereadStale(now);
  StartRecovery(now);
  return true;
}

// The ids of those with held room on a node that is about to move.
std::set<int64_t> Planner::GroupsOnMoved(const std::vector<NodeFacts>& nodes) const {
  std::set<int64_t> ids;
  for (const NodeFacts& node : nodes) {
    const NodeIndex index = model_.FindNode(node.name);
    const auto holds = holds_.find(index);
    if (holds == holds_.end() || !HasMoved(index, node)) continue;
    for (const auto& [group, slot] : holds->second) ids.insert(group->id);
  }
  return ids;
}

void Planner::MakeStale(Group& group, std::string_view why) {
  group.stale = why;
  ReleaseHeld(group, fmt::format("gang {}: {}, the gang is planned anew", group.name, why));
}

// Other than Release it leaves calls whose Binding is on its way.
void Planner::ReleaseHeld(Group& group, std::string_view why) {
  for (int32_t i = 0; i < group.size; ++i) {
    if (group.slots[i].state != SlotState::kHeld) continue;
    if (Member* member = MemberAt(group, i)) DropCall(group, *member, why);
    Unhold(group, i, SlotState::kEmpty);
  }
}

// A group with an open Binding keeps its slots until that is settled: they would be lost with it.
void Planner::RereadStale(absl::Time now) {
  std::vector<Group*> ready;
  for (auto& [id, group] : groups_) {
    if (!group->stale.empty() && group->In(SlotState::kPosting) == 0) ready.push_back(group.get());
  }
  if (ready.empty()) return;
  Dissolved dissolved;
  for (Group* group : ready) Dissolve(*group, dissolved);
  std::sort(dissolved.pods.begin(), dissolved.pods.end());
  const bool was_recovering = std::exchange(recovering_, true);
  for (const Returner& returner : dissolved.pods) Return(now, returner);
  recovering_ = was_recovering;
  for (const auto& [key, past] : dissolved.past) {
    const auto again = groups_by_key_.find(key);
    if (again == groups_by_key_.end()) continue;
    again->second->times = past.times;
    again->second->plans = past.plans;
  }
  if (!synced_ || was_recovering) return;
  recovering_ = true;
  recover_by_ = now;  // what still waits for its owner was no member before, either
  FinishRecovery(now);
}

void Planner::Dissolve(Group& group, Dissolved& dissolved) {
  ReleaseHeld(group, "the gang is planned anew");
  Dissolved::Past& past = dissolved.past[group.key];
  past.plans = group.plans;
  past.times = group.times;
  for (auto& [uid, member] : group.members) {
    PodRecord& record = pods_.at(uid);
    Returner returner{std::move(*record.facts), member.seen,
                      member.rejected || !member.problem.empty()};
    if (member.slot >= 0 && group.slots[member.slot].state == SlotState::kBound) {
      // The watch may not have shown yet what a 201 has proved.
      returner.pod.node_name = model_.NodeName(group.slots[member.slot].node);
      for (auto& [key, value] : Annotations(group, member.slot))
        SetLabel(returner.pod.annotations, key, std::move(value));
    }
    MarkRejected(member, false);
    record.group = nullptr;
    record.facts.reset();
    dissolved.pods.push_back(std::move(returner));
  }
  EraseGroup(group);
}

void Planner::Return(absl::Time now, const Returner& returner) {
  FindGroup(now, returner.pod);
  Group* group = pods_.at(returner.pod.uid).group;
  if (group == nullptr) return;
  Member& member = group->members.at(returner.pod.uid);
  member.seen = returner.seen;
  const bool open = member.problem.empty() && !member.finished;
  MarkRejected(member, returner.waits && open && returner.pod.node_name.empty());
}

}  // namespace gangplan
