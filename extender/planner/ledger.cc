#include "extender/planner/ledger.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "topology/base/check.h"
#include "topology/resources.h"

namespace gangplan {
namespace {

using WideAmount = __int128;
constexpr int64_t kMillion = 1'000'000;

std::string_view Name(HoldReason reason) {
  constexpr std::string_view kNames[] = {"gathering", "starting", "repairing", "preempting",
                                         "reserving", "sparing",  "named"};
  return kNames[static_cast<int>(reason)];
}

}  // namespace

void Ledger::CountTotals(const NodeFacts* facts, int sign) {
  if (facts == nullptr) return;
  for (const ResourceAmount& amount : facts->allocatable) {
    if (!model_.Excludes(amount.name)) totals_[amount.name] += sign * amount.amount;
  }
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
  if (index != kNoNode) NoteLeft(index);
  return status;
}

void Ledger::RemoveNode(std::string_view name) {
  const NodeIndex node = model_.FindNode(name);
  if (node == kNoNode) return;
  CountTotals(model_.Facts(node), -1);
  NoteLeft(node);
  model_.RemoveNode(name);
}

absl::Status Ledger::PutForeign(std::string_view name, const LabelSet& labels) {
  const NodeIndex known = model_.FindNode(name);
  if (known != kNoNode) {
    const LabelSet* before = model_.ForeignLabels(known);
    if (before == nullptr || *before != labels) neighbours_.NoteNodes();
    CountTotals(model_.Facts(known), -1);
    NoteLeft(known);
  }
  return model_.PutForeign(name, labels);
}

void Ledger::PutPod(std::string_view uid, std::string_view node, const ResourceList& requests,
                    const ProfileRef& who, bool expected) {
  const auto [known, added] = pods_.Make(uid);
  if (!added) {
    const Neighbours::Stand& stand = neighbours_.at(*known);
    NoteLeft(stand.node);
    const bool same = stand.who == who && stand.held == expected;
    if (same && model_.NodeName(stand.node) == node) {
      model_.PutPod(uid, node, requests);
      return;
    }
    neighbours_.Erase(*known);
  }
  model_.PutPod(uid, node, requests);
  *known = neighbours_.Put(model_.FindNode(node), who, expected);
}

void Ledger::ForgetStand(std::string_view uid, bool for_a_moment) {
  const Neighbours::StandId* known = pods_.Find(uid);
  if (known == nullptr) return;
  NoteLeft(neighbours_.at(*known).node);
  neighbours_.Erase(*known, for_a_moment);
  pods_.Erase(uid);
}

void Ledger::ErasePod(std::string_view uid) {
  ForgetStand(uid, false);
  model_.ErasePod(uid);
}

void Ledger::LiftPod(std::string_view uid) {
  ForgetStand(uid, true);
  model_.LiftPod(uid);
}

NodeIndex Ledger::NodeOf(std::string_view uid) const {
  const Neighbours::StandId* known = pods_.Find(uid);
  return known == nullptr ? kNoNode : neighbours_.at(*known).node;
}

Ledger::Share Ledger::DominantOf(const ResourceList& requests) const {
  Share greatest;
  for (const ResourceAmount& amount : requests) {
    auto total = totals_.find(amount.name);
    if (total == totals_.end() || total->second <= 0) continue;
    const WideAmount part = WideAmount{amount.amount} * kMillion / total->second;
    const auto share = static_cast<int64_t>(std::min(part, WideAmount{kMillion} * kMillion));
    if (share > greatest.millionths) greatest = {share, total->first};
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
  by_node_[index].push_back({id.group, id.slot, priority, shape});
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

void Ledger::GiveToPod(HoldId id, std::string_view uid, const ResourceList& requests,
                       const ProfileRef& who) {
  auto account = accounts_.find(id.group);
  GANGPLAN_CHECK(account != accounts_.end() && account->second.holds.contains(id.slot));
  const HoldRecord& hold = account->second.holds.at(id.slot);
  const std::string node = model_.NodeName(hold.node);
  model_.LiftHold(hold.node, hold.shape);
  Forget(account, id.slot, true);
  PutPod(uid, node, requests, who, true);
}

bool Ledger::SetPriority(GroupId group, int32_t priority) {
  const auto found = accounts_.find(group);
  if (found == accounts_.end() || found->second.priority == priority) return false;
  Account& account = found->second;
  const bool fell = priority < account.priority;
  yielding_.erase({account.priority, -group});
  account.priority = priority;
  for (auto& [slot, hold] : account.holds) {
    hold.priority = priority;
    OnNode({group, slot}, hold.node).priority = priority;
  }
  NoteYielding(group, account);
  return fell;
}

// The group yields, or does so no more.
void Ledger::NoteYielding(GroupId group, const Account& account) {
  const std::pair<int32_t, GroupId> place(account.priority, -group);
  if (account.pinned == 0 && !IsKept(group)) {
    yielding_.insert(place);
  } else {
    yielding_.erase(place);
  }
}

// REQUIRES: it is on this node.
Ledger::NodeHold& Ledger::OnNode(HoldId id, NodeIndex node) {
  auto& on_node = by_node_[static_cast<size_t>(node)];
  return *std::find_if(on_node.begin(), on_node.end(),
                       [&](const NodeHold& on) { return on.id() == id; });
}

// Of all but its account. The model has let it go.
void Ledger::Detach(HoldId id, const HoldRecord& hold, bool for_a_moment) {
  neighbours_.Erase(hold.stand, for_a_moment);
  model_.ReleaseShape(hold.shape);
  if (!IsNamed(id.group)) NoteLeft(hold.node);
  auto& on_node = by_node_[static_cast<size_t>(hold.node)];
  on_node.erase(&OnNode(id, hold.node));
  held_nodes_ -= static_cast<size_t>(on_node.empty());
  --hold_count_;
}

// The model has let it go.
void Ledger::Forget(std::map<GroupId, Account>::iterator account, int32_t slot, bool for_a_moment) {
  auto hold = account->second.holds.find(slot);
  Detach({account->first, slot}, hold->second, for_a_moment);
  const bool pinned = hold->second.pinned;
  account->second.holds.erase(hold);
  account->second.pinned -= static_cast<int32_t>(pinned);
  if (account->second.holds.empty()) return Close(account);
  if (pinned) NoteYielding(account->first, account->second);
}

// REQUIRES: it has no hold.
void Ledger::Close(std::map<GroupId, Account>::iterator account) {
  const GroupId group = account->first;
  yielding_.erase({account->second.priority, -group});
  accounts_.erase(account);
  ends_.Clear(group);
}

void Ledger::SetPinned(HoldId id, HoldRecord& hold, bool pinned) {
  hold.pinned = pinned;
  OnNode(id, hold.node).pinned = pinned;
}

void Ledger::Pin(HoldId id, bool pinned) {
  Account& account = accounts_.at(id.group);
  HoldRecord& hold = account.holds.at(id.slot);
  account.pinned += static_cast<int32_t>(pinned) - static_cast<int32_t>(hold.pinned);
  SetPinned(id, hold, pinned);
  NoteYielding(id.group, account);
}

void Ledger::PinAll(GroupId group) {
  Account& account = accounts_.at(group);
  for (auto& [slot, hold] : account.holds) SetPinned({group, slot}, hold, true);
  account.pinned = static_cast<int32_t>(account.holds.size());
  NoteYielding(group, account);
}

void Ledger::SetEnd(GroupId group, HoldReason reason, absl::Time end) {
  auto account = accounts_.find(group);
  if (account == accounts_.end()) return;
  account->second.reason = reason;
  ends_.Set(group, end);
}

HoldReason Ledger::ReasonOf(GroupId group) const {
  const auto account = accounts_.find(group);
  GANGPLAN_CHECK(account != accounts_.end());
  return account->second.reason;
}

std::vector<GroupId> Ledger::GroupsOn(NodeIndex node) const {
  std::vector<GroupId> groups;
  for (const NodeHold& on : HoldsOn(node)) groups.push_back(on.group);
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
    model_.RetainShape(hold.shape);  // of what is kept nobody else has it
    model_.LiftHold(hold.node, hold.shape);
    Forget(account, hold.slot, true);
  }
  return lifted;
}

// None of the nodes is one that somebody excludes who has come meanwhile.
bool Ledger::NeighboursAllow(const std::vector<Lifted>& lifted) const {
  std::map<const PodProfile*, Neighbours::Ruled> ruled;
  const TopologyIndex topology = model_.TopologyOf(lifted.front().shape);  // they are one group's
  return std::all_of(lifted.begin(), lifted.end(), [&](const Lifted& hold) {
    const auto [of, added] = ruled.try_emplace(hold.who.get());
    if (added) of->second = neighbours_.RuledOut(model_, topology, *hold.who, true);
    const auto& apart = of->second.apart;
    return !std::binary_search(apart.begin(), apart.end(), model_.LeafOfNode(topology, hold.node));
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
    model_.ReleaseShape(hold.shape);
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

int64_t Ledger::kept_count() const {
  int64_t kept = 0;
  for (const auto& [group, account] : accounts_) {
    if (!IsKept(group)) break;
    kept += static_cast<int64_t>(account.holds.size());
  }
  return kept;
}

std::string Ledger::BrokenInvariant() const {
  int64_t holds = 0;
  size_t yielding = 0;
  for (const auto& [group, account] : accounts_) {
    const auto open = static_cast<int64_t>(account.holds.size()) - account.pinned;
    if (open > 0 && group != kSpent && ends_.Of(group) == absl::InfiniteFuture()) {
      return fmt::format("ledger: {} holds of group {} ({}) have no end", open, group,
                         Name(account.reason));
    }
    const bool yields = account.pinned == 0 && !IsKept(group);
    yielding += static_cast<size_t>(yields);
    if (yielding_.contains({account.priority, -group}) != yields)
      return fmt::format("ledger: group {} is not where it yields", group);
    for (const auto& [slot, hold] : account.holds) {
      ++holds;
      const NodeHold expected{group, slot, hold.priority, hold.shape, hold.pinned};
      const auto on_node = HoldsOn(hold.node);
      if (std::find(on_node.begin(), on_node.end(), expected) == on_node.end())
        return fmt::format("ledger: slot {} of group {} is not so on its node", slot, group);
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
