// What room holds leave on a node, and which of them it can keep.
#include <algorithm>
#include <tuple>

#include "extender/planner/ledger.h"
#include "topology/implied_resource.h"

namespace gangplan {

ResourceList Ledger::Yielding(NodeIndex node, int32_t priority) const {
  ResourceList sum;
  for (const NodeHold& on : HoldsOn(node)) {
    if (on.Yields(priority)) AddResources(sum, model_.demand(on.shape));
  }
  return sum;
}

ResourceList Ledger::Listed(NodeIndex node, const ResourceList& requests) const {
  if (model_.Facts(node) == nullptr) return requests;
  ResourceList listed;
  for (const ResourceAmount& amount : requests) {
    if (model_.Use(node, amount.name).allocatable > 0) listed.push_back(amount);
  }
  return listed;
}

std::string_view Ledger::UnlistedOf(const ResourceList& requests) const {
  for (const ResourceAmount& one : requests) {
    const auto total = totals_.find(one.name);
    const bool listed = total != totals_.end() && total->second > 0;
    if (one.amount > 0 && !listed && !IsImplied(one.name) && !model_.Excludes(one.name))
      return one.name;
  }
  return {};
}

bool Ledger::HasRoom(NodeIndex node, const ResourceList& requests, int32_t priority) const {
  return HasRoomWith(node, requests, Yielding(node, priority));
}

std::vector<NodeIndex> Ledger::KeptByHolds(std::span<const NodeIndex> nodes,
                                           const ResourceList& requests, int32_t priority) const {
  return model_.Lacking(nodes, requests, [&](NodeIndex node, std::vector<ShapeId>& back) {
    for (const NodeHold& on : HoldsOn(node)) {
      if (on.Yields(priority)) back.push_back(on.shape);
    }
  });
}

std::vector<NodeIndex> Ledger::HeldNodes() const {
  std::vector<NodeIndex> nodes;
  nodes.reserve(held_nodes_);
  for (size_t node = 0; node < by_node_.size() && nodes.size() < held_nodes_; ++node) {
    if (!by_node_[node].empty()) nodes.push_back(static_cast<NodeIndex>(node));
  }
  return nodes;
}

std::vector<NodeIndex> Ledger::NodesOf(GroupId group) const {
  std::vector<NodeIndex> nodes;
  const auto account = accounts_.find(group);
  if (account == accounts_.end()) return nodes;
  for (const auto& [slot, hold] : account->second.holds) nodes.push_back(hold.node);
  return nodes;
}

std::vector<GroupId> Ledger::SparingBelow(int32_t priority) const {
  std::vector<GroupId> groups;
  const auto end = accounts_.lower_bound(SparesFor(0));
  for (auto next = accounts_.upper_bound(ReservedFor(0)); next != end; ++next) {
    const auto& holds = next->second.holds;
    if (!holds.empty() && holds.begin()->second.priority < priority)
      groups.push_back(SparesFor(next->first));
  }
  std::reverse(groups.begin(), groups.end());
  return groups;
}

std::vector<PromisedRoom> Ledger::RoomOf(const std::vector<GroupId>& groups) const {
  std::vector<PromisedRoom> room;
  for (GroupId group : groups) {
    for (const auto& [slot, hold] : accounts_.at(group).holds)
      room.push_back({hold.node, hold.shape});
  }
  return room;
}

bool Ledger::Stands(HoldId id) const {
  const HoldRecord& hold = At(id);
  const ResourceList& demand = model_.demand(hold.shape);
  return model_.MayUse(hold.node, hold.shape) && model_.HasRoom(hold.node, demand, demand);
}

std::vector<NodeIndex> Ledger::LostNodes(GroupId group) const {
  std::vector<NodeIndex> lost;
  auto account = accounts_.find(group);
  if (account == accounts_.end()) return lost;
  const HoldRecord* last = nullptr;  // slots that follow each other are often alike
  for (const auto& [slot, hold] : account->second.holds) {
    const bool alike = last != nullptr && last->node == hold.node && last->shape == hold.shape;
    if (!alike && !Stands({group, slot})) lost.push_back(hold.node);
    last = &hold;
  }
  return lost;
}

std::vector<HoldId> Ledger::InOrderOfYielding(NodeIndex node) const {
  const std::span<const NodeHold> here = HoldsOn(node);
  std::vector<NodeHold> holds(here.begin(), here.end());
  std::sort(holds.begin(), holds.end(), [](const NodeHold& a, const NodeHold& b) {
    return std::make_tuple(a.priority, -a.group, -a.slot) <
           std::make_tuple(b.priority, -b.group, -b.slot);
  });
  std::vector<HoldId> ids;
  for (const NodeHold& hold : holds) ids.push_back(hold.id());
  return ids;
}

template <typename Keeps>
Ledger::Shed Ledger::ShedWhere(NodeIndex node, Keeps keeps) {
  Shed shed;
  for (const HoldId& id : InOrderOfYielding(node)) {
    if (keeps(id)) continue;
    const bool pinned = At(id).pinned;
    (pinned ? shed.pinned : shed.released).push_back(id);
    if (!pinned) Release(id);
    if (IsNamed(id.group)) NoteLeft(node);  // it may keep some of it
  }
  return shed;
}

Ledger::Shed Ledger::ShedNode(NodeIndex node) {
  return ShedWhere(node, [this](const HoldId& id) { return Stands(id); });
}

Ledger::Shed Ledger::ShedAll(NodeIndex node) {
  return ShedWhere(node, [](const HoldId&) { return false; });
}

void Ledger::ShedKept(NodeIndex node) {
  ShedWhere(node, [](const HoldId& id) { return !IsKept(id.group); });
}

}  // namespace gangplan
