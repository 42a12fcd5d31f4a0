#include "extender/planner/ledger.h"

#include <algorithm>
#include <tuple>

#include "fmt/format.h"
#include "topology/base/check.h"
#include "topology/resources.h"

namespace gangplan {
namespace {

using WideAmount = __int128;
constexpr int64_t kMillion = 1'000'000;

std::string_view Name(HoldReason reason) {
  constexpr std::string_view kNames[] = {"gathering", "starting", "repairing"};
  return kNames[static_cast<int>(reason)];
}

}  // namespace

void Ledger::CountTotals(const NodeFacts* facts, int sign) {
  if (facts == nullptr) return;
  for (const ResourceAmount& amount : facts->allocatable)
    totals_[amount.name] += sign * amount.amount;
}

absl::Status Ledger::PutNode(const NodeFacts& node) {
  const NodeIndex known = model_.FindNode(node.name);
  const NodeFacts* before = known == kNoNode ? nullptr : model_.Facts(known);
  if (before != nullptr && *before == node) return absl::OkStatus();
  if (before != nullptr && before->labels != node.labels) neighbours_.NoteNodes();
  CountTotals(before, -1);
  absl::Status status = model_.UpsertNode(node);
  const NodeIndex index = model_.FindNode(node.name);
  CountTotals(index == kNoNode ? nullptr : model_.Facts(index), 1);
  return status;
}

void Ledger::RemoveNode(std::string_view name) {
  const NodeIndex node = model_.FindNode(name);
  if (node == kNoNode) return;
  CountTotals(model_.Facts(node), -1);
  model_.RemoveNode(name);
}

void Ledger::PutPod(std::string_view uid, std::string_view node, const ResourceList& requests,
                    const ProfileRef& who) {
  const auto [known, added] = pods_.Make(uid);
  if (!added) {
    const Neighbours::Stand& stand = neighbours_.at(*known);
    if (stand.who == who && model_.NodeName(stand.node) == node) {
      model_.PutPod(uid, node, requests);
      return;
    }
    neighbours_.Erase(*known);
  }
  model_.PutPod(uid, node, requests);
  *known = neighbours_.Put(model_.FindNode(node), who, false);
}

void Ledger::ErasePod(std::string_view uid) {
  if (const Neighbours::StandId* known = pods_.Find(uid)) {
    neighbours_.Erase(*known);
    pods_.Erase(uid);
  }
  model_.ErasePod(uid);
}

int64_t Ledger::ShareOf(const ResourceList& requests) const {
  int64_t greatest = 0;
  for (const ResourceAmount& amount : requests) {
    auto total = totals_.find(amount.name);
    if (total == totals_.end() || total->second <= 0) continue;
    const auto share = static_cast<int64_t>(WideAmount{amount.amount} * kMillion / total->second);
    greatest = std::max(greatest, share);
  }
  return greatest;
}

void Ledger::Hold(HoldId id, NodeIndex node, ShapeId shape, int32_t priority,
                  const ProfileRef& who) {
  Account& account = accounts_[id.group];
  if (account.holds.empty()) {
    account.priority = priority;
    NoteYielding(id.group, account);
  }
  // Plans have them by slot: at the end.
  const auto end = account.holds.end();
  const auto hold = account.holds.try_emplace(end, id.slot, HoldRecord{node, shape, priority});
  GANGPLAN_CHECK(hold->second.stand < 0);
  model_.AddHold(node, shape);
  model_.RetainShape(shape);
  hold->second.stand = neighbours_.Put(node, who, true);
  const auto index = static_cast<size_t>(node);
  if (index >= by_node_.size()) by_node_.resize(index + 1);
  held_nodes_ += static_cast<size_t>(by_node_[index].empty());
  by_node_[index].push_back({id, priority});
  ++hold_count_;
}

void Ledger::Release(HoldId id) {
  auto account = accounts_.find(id.group);
  GANGPLAN_CHECK(account != accounts_.end());
  auto hold = account->second.holds.find(id.slot);
  GANGPLAN_CHECK(hold != account->second.holds.end());
  model_.RemoveHold(hold->second.node, hold->second.shape);
  Forget(account, id.slot, false);
}

// The group yields, or does so no more.
void Ledger::NoteYielding(GroupId group, const Account& account) {
  const std::pair<int32_t, GroupId> place(account.priority, -group);
  if (account.pinned == 0) {
    yielding_.insert(place);
  } else {
    yielding_.erase(place);
  }
}

// The model has let it go.
void Ledger::Forget(std::map<GroupId, Account>::iterator account, int32_t slot,
                    bool for_a_moment) {
  const HoldId id{account->first, slot};
  auto hold = account->second.holds.find(slot);
  neighbours_.Erase(hold->second.stand, for_a_moment);
  auto& on_node = by_node_[static_cast<size_t>(hold->second.node)];
  model_.ReleaseShape(hold->second.shape);
  on_node.erase(std::find_if(on_node.begin(), on_node.end(),
                             [&](const NodeHold& on) { return on.id == id; }));
  held_nodes_ -= static_cast<size_t>(on_node.empty());
  const bool pinned = hold->second.pinned;
  account->second.holds.erase(hold);
  --hold_count_;
  account->second.pinned -= static_cast<int32_t>(pinned);
  if (!account->second.holds.empty()) {
    if (pinned) NoteYielding(id.group, account->second);
    return;
  }
  yielding_.erase({account->second.priority, -id.group});
  accounts_.erase(account);
  ends_.Clear(id.group);
}

void Ledger::Pin(HoldId id, bool pinned) {
  Account& account = accounts_.at(id.group);
  HoldRecord& hold = account.holds.at(id.slot);
  account.pinned += static_cast<int32_t>(pinned) - static_cast<int32_t>(hold.pinned);
  hold.pinned = pinned;
  NoteYielding(id.group, account);
}

void Ledger::PinAll(GroupId group) {
  Account& account = accounts_.at(group);
  for (auto& [slot, hold] : account.holds) hold.pinned = true;
  account.pinned = static_cast<int32_t>(account.holds.size());
  NoteYielding(group, account);
}

void Ledger::SetEnd(GroupId group, HoldReason reason, absl::Time end) {
  auto account = accounts_.find(group);
  if (account == accounts_.end()) return;
  account->second.reason = reason;
  ends_.Set(group, end);
}

std::vector<GroupId> Ledger::GroupsOn(NodeIndex node) const {
  std::vector<GroupId> groups;
  for (const NodeHold& on : HoldsOn(node)) groups.push_back(on.id.group);
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

std::vector<HoldId> Ledger::HoldsOf(GroupId group) const {
  std::vector<HoldId> ids;
  auto account = accounts_.find(group);
  if (account == accounts_.end()) return ids;
  for (const auto& [slot, hold] : account->second.holds) ids.push_back({group, slot});
  return ids;
}

size_t Ledger::HoldCount(GroupId group) const {
  auto account = accounts_.find(group);
  return account == accounts_.end() ? 0 : account->second.holds.size();
}

std::vector<PromisedRoom> Ledger::RoomOf(const std::vector<GroupId>& groups) const {
  std::vector<PromisedRoom> room;
  for (GroupId group : groups) {
    for (const auto& [slot, hold] : accounts_.at(group).holds)
      room.push_back({hold.node, hold.shape});
  }
  return room;
}

// Out for a moment, or in again.
void Ledger::SetNeighbours(const std::vector<GroupId>& groups, bool there) {
  for (GroupId group : groups) {
    for (auto& [slot, hold] : accounts_.at(group).holds) {
      if (there) {
        hold.stand = neighbours_.Put(hold.node, std::move(hold.who), true);
      } else {
        hold.who = neighbours_.at(hold.stand).who;
        neighbours_.Erase(hold.stand, true);
      }
    }
  }
}

std::vector<Ledger::Lifted> Ledger::Lift(GroupId group) {
  std::vector<Lifted> lifted;
  const HoldReason reason = accounts_.at(group).reason;
  const absl::Time end = ends_.Of(group);
  for (const auto& [slot, hold] : accounts_.at(group).holds) {
    const ProfileRef& who = neighbours_.at(hold.stand).who;
    lifted.push_back({slot, hold.node, hold.shape, hold.priority, who, reason, end});
  }
  const auto account = accounts_.find(group);
  for (const Lifted& hold : lifted) {
    model_.LiftHold(hold.node, hold.shape);
    Forget(account, hold.slot, true);
  }
  return lifted;
}

// None of the nodes is one that somebody excludes who has come meanwhile.
bool Ledger::NeighboursAllow(const std::vector<Lifted>& lifted) const {
  std::map<const PodProfile*, Neighbours::Ruled> ruled;
  return std::all_of(lifted.begin(), lifted.end(), [&](const Lifted& hold) {
    const auto [of, added] = ruled.try_emplace(hold.who.get());
    if (added) of->second = neighbours_.RuledOut(model_, *hold.who, true);
    const auto& apart = of->second.apart;
    return !std::binary_search(apart.begin(), apart.end(), model_.LeafOfNode(hold.node));
  });
}

bool Ledger::PutBack(GroupId group, const std::vector<Lifted>& lifted) {
  const bool allowed = NeighboursAllow(lifted);
  for (const Lifted& hold : lifted)
    Hold({group, hold.slot}, hold.node, hold.shape, hold.priority, hold.who);
  SetEnd(group, lifted.front().reason, lifted.front().end);
  const bool stand = allowed && std::all_of(lifted.begin(), lifted.end(), [&](const Lifted& hold) {
                       return Stands({group, hold.slot});
                     });
  for (const Lifted& hold : lifted) {
    if (!stand) Release({group, hold.slot});
  }
  return stand;
}

bool Ledger::Has(HoldId id, NodeIndex node, bool pinned) const {
  auto account = accounts_.find(id.group);
  if (account == accounts_.end()) return false;
  auto hold = account->second.holds.find(id.slot);
  return hold != account->second.holds.end() && hold->second.node == node &&
         hold->second.pinned == pinned;
}

const Ledger::HoldRecord& Ledger::At(HoldId id) const {
  return accounts_.at(id.group).holds.at(id.slot);
}

ResourceList Ledger::Yielding(NodeIndex node, int32_t priority) const {
  ResourceList sum;
  for (const NodeHold& on : HoldsOn(node)) {
    if (!Yields(on.priority, priority)) continue;
    const HoldRecord& hold = At(on.id);
    if (!hold.pinned) AddResources(sum, model_.demand(hold.shape));
  }
  return sum;
}

// What of the requests the node has, or says that it has none of.
ResourceList Ledger::Listed(NodeIndex node, const ResourceList& requests) const {
  const NodeFacts* facts = model_.Facts(node);
  if (facts == nullptr) return requests;
  const auto says = [&](const std::string& name) {
    return std::any_of(facts->allocatable.begin(), facts->allocatable.end(),
                       [&](const ResourceAmount& amount) { return amount.name == name; });
  };
  ResourceList listed;
  for (const ResourceAmount& amount : requests) {
    if (says(amount.name) || model_.Use(node, amount.name).allocatable > 0)
      listed.push_back(amount);
  }
  return listed;
}

bool Ledger::HasRoom(NodeIndex node, const ResourceList& requests, int32_t priority) const {
  return model_.HasRoom(node, Listed(node, requests), Yielding(node, priority));
}

std::vector<NodeIndex> Ledger::KeptByHolds(std::span<const NodeIndex> nodes,
                                           const ResourceList& requests, int32_t priority) const {
  std::vector<NodeIndex> kept = model_.Lacking(nodes, requests);
  std::erase_if(kept, [&](NodeIndex node) {
    const std::span<const NodeHold> holds = HoldsOn(node);
    const bool some = std::any_of(holds.begin(), holds.end(), [&](const NodeHold& on) {
      return Yields(on.priority, priority);
    });
    return some && HasRoom(node, requests, priority);
  });
  return kept;
}

std::vector<NodeIndex> Ledger::HeldNodes() const {
  std::vector<NodeIndex> nodes;
  nodes.reserve(held_nodes_);
  for (size_t node = 0; node < by_node_.size() && nodes.size() < held_nodes_; ++node) {
    if (!by_node_[node].empty()) nodes.push_back(static_cast<NodeIndex>(node));
  }
  return nodes;
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
  std::vector<HoldId> ids;
  for (const NodeHold& on : HoldsOn(node)) ids.push_back(on.id);
  std::sort(ids.begin(), ids.end(), [this](const HoldId& a, const HoldId& b) {
    return std::make_tuple(At(a).priority, -a.group, -a.slot) <
           std::make_tuple(At(b).priority, -b.group, -b.slot);
  });
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
  }
  return shed;
}

Ledger::Shed Ledger::ShedNode(NodeIndex node) {
  return ShedWhere(node, [this](const HoldId& id) { return Stands(id); });
}

Ledger::Shed Ledger::ShedAll(NodeIndex node) {
  return ShedWhere(node, [](const HoldId&) { return false; });
}

std::string Ledger::BrokenInvariant() const {
  int64_t holds = 0;
  size_t yielding = 0;
  for (const auto& [group, account] : accounts_) {
    const auto open = static_cast<int64_t>(account.holds.size()) - account.pinned;
    if (open > 0 && ends_.Of(group) == absl::InfiniteFuture()) {
      return fmt::format("ledger: {} holds of group {} ({}) have no end", open, group,
                         Name(account.reason));
    }
    yielding += static_cast<size_t>(account.pinned == 0);
    if (yielding_.contains({account.priority, -group}) != (account.pinned == 0))
      return fmt::format("ledger: group {} is not where it yields", group);
    for (const auto& [slot, hold] : account.holds) {
      ++holds;
      if (!hold.pinned && !Stands({group, slot})) {
        return fmt::format("ledger: slot {} of group {} is held on {} that cannot keep it", slot,
                           group, model_.NodeName(hold.node));
      }
    }
  }
  if (holds != hold_count_) return "ledger: holds are miscounted";
  if (yielding != yielding_.size()) return "ledger: a group yields that holds nothing";
  const std::vector<NodeIndex> held = HeldNodes();
  if (held.size() != held_nodes_) return "ledger: nodes with holds are miscounted";
  for (NodeIndex node : held) {
    if (model_.HoldCount(node) != static_cast<int32_t>(HoldsOn(node).size()))
      return fmt::format("ledger: holds on node {} do not add up", model_.NodeName(node));
    holds -= static_cast<int64_t>(HoldsOn(node).size());
  }
  if (neighbours_.size() != pods_.size() + static_cast<size_t>(hold_count_))
    return "ledger: neighbours are miscounted";
  return holds == 0 ? std::string() : "ledger: a hold is not listed under its node";
}

}  // namespace gangplan
