// Nodes and levels as the planner takes them: which are ours, of which topology, and what becomes
// of groups when these are others.
#include <algorithm>

#include "extender/planner/planner_rooms.h"
#include "fmt/ranges.h"

namespace gangplan {

// ---- nodes

// It stands in another domain than the one for which it was chosen, or in one again.
bool Planner::Rooms::HasMoved(NodeIndex index, const NodeFacts& node) const {
  const NodeFacts* before = ledger.model().Facts(index);
  if (before == nullptr) return synced;
  const std::vector<ScopedTopology>& topologies = ledger.model().topologies();
  const TopologyIndex home = HomeOf(topologies, node.labels).topology;
  if (home != ledger.model().HomeOf(index).topology) return true;
  if (home == kNoTopology) return false;
  const auto value = [](const NodeFacts& facts, const Level& level) {
    const std::string* label = FindLabel(facts.labels, level.label);
    return label == nullptr ? std::string() : *label;
  };
  const auto& levels = topologies[static_cast<size_t>(home)].levels;
  return std::any_of(levels.begin(), levels.end(), [&](const Level& level) {
    return value(*before, level) != value(node, level);
  });
}

// It has less than it had, or keeps off some whom it let in, or its maintenance is at another time:
// what is told of it to those who wait is not true any more.
bool Planner::Rooms::HasShrunk(NodeIndex index, const NodeFacts& node) const {
  const NodeFacts* before = index == kNoNode ? nullptr : ledger.model().Facts(index);
  if (before == nullptr) return false;
  const auto less = [&](const ResourceAmount& one) {
    return AmountOf(node.allocatable, one.name) < one.amount;
  };
  const auto known = [&](const Taint& taint) {
    return std::find(before->taints.begin(), before->taints.end(), taint) != before->taints.end();
  };
  return node.maintenance != before->maintenance ||
         std::any_of(before->allocatable.begin(), before->allocatable.end(), less) ||
         !std::all_of(node.taints.begin(), node.taints.end(), known);
}

// It is about to be none of those that are ours, or is none. What it had is nobody's.
NodeIndex Planner::Rooms::ForgetNode(std::string_view name) {
  const NodeIndex node = ledger.model().FindNode(name);
  if (node == kNoNode) return kNoNode;
  refusals.ForgetNode(node);
  maintenance.OnNodeDeleted(node);
  left_nodes.Forget(node);
  plans.NoteShrunk();
  return node;
}

// What runs there while it comes to another topology stays.
absl::Status Planner::Rooms::PutOurs(const NodeFacts& node) {
  const TopologyIndex before = ledger.HomeOf(ledger.model().FindNode(node.name));
  const absl::Status status = ledger.PutNode(node);
  if (!status.ok()) return status;
  const NodeIndex index = ledger.model().FindNode(node.name);
  if (before != kNoTopology && before != ledger.HomeOf(index)) left_nodes.Note(index);
  maintenance.OnNode(index, node);
  return status;
}

// It is another one's, and may have been ours: what is held there moves, what runs there stays.
absl::Status Planner::Rooms::PutForeign(const NodeFacts& node) {
  const NodeIndex known = ledger.model().FindNode(node.name);
  const bool leaves = known != kNoNode && ledger.model().Facts(known) != nullptr;
  failed_nodes.OnNodeLeft(node.name);
  if (!leaves) return ledger.PutForeign(node.name, node.labels);
  ForgetNode(node.name);
  absl::Status status = ledger.PutForeign(node.name, node.labels);
  left_nodes.Note(known);
  if (ledger.HasHolds(known)) plans.CheckNode(known);
  return status;
}

// ---- levels

// For people, what it waits for; empty: the levels of all topologies are known.
std::string Planner::Rooms::UnknownLevels() const {
  std::vector<std::string> unknown;
  for (size_t i = 0; i < levels_known.size(); ++i) {
    if (!levels_known[i]) unknown.push_back(options.topologies[i].live);
  }
  return fmt::format("{}", fmt::join(unknown, ", "));
}

bool Planner::Rooms::AllLevelsKnown() const {
  return std::find(levels_known.begin(), levels_known.end(), false) == levels_known.end();
}

// Of these, that are about to be so.
std::set<NodeIndex> Planner::Rooms::MovedOf(const std::vector<NodeFacts>& nodes) const {
  std::set<NodeIndex> moved;
  for (const NodeFacts& node : nodes) {
    const NodeIndex index = ledger.model().FindNode(node.name);
    if (index != kNoNode && HasMoved(index, node)) moved.insert(index);
  }
  return moved;
}

// The ids of groups that hold room, and some of it, or some members, on a node that moves.
std::set<GroupId> Planner::Rooms::GroupsOnMoved(const std::set<NodeIndex>& moved) const {
  std::set<GroupId> ids;
  if (moved.empty()) return ids;
  for (const auto& [id, group] : groups.groups()) {
    const std::vector<Slot>& slots = group->slots();
    const bool shaken = group->holds() > 0 && std::any_of(slots.begin(), slots.end(), [&](auto& s) {
                          return s.state != SlotState::kEmpty && moved.contains(s.node);
                        });
    if (shaken) ids.insert(id);
  }
  return ids;
}

bool Planner::OnTopology(absl::Time now, const Topology& topology,
                         const std::vector<NodeFacts>& nodes) {
  Rooms& r = Begin();
  const auto& all = r.options.topologies;
  const auto own = std::find_if(all.begin(), all.end(), [&](const TopologyOptions& one) {
    return (one.changes || !one.live.empty()) && one.topology.name == topology.name;
  });
  if (own == all.end()) return false;
  const auto index = static_cast<size_t>(own - all.begin());
  const auto id_of = static_cast<TopologyIndex>(index);
  const bool others =
      !r.levels_known[index] || topology.levels != r.ledger.model().topologies()[index].levels;
  if (!others && nodes.empty()) return false;
  const std::set<NodeIndex> moved = r.MovedOf(nodes);
  const std::set<GroupId> shaken = r.GroupsOnMoved(moved);
  if (!moved.empty()) r.plans.NoteShrunk();
  r.levels_known[index] = true;
  r.roster.SetTopology(id_of, topology);
  if (others) r.steering.Forget();
  if (others) r.ledger.SetTopology(id_of, topology);
  for (const NodeFacts& node : nodes) {
    r.PutOurs(node).IgnoreError();  // it is there already
    r.kueue.OnNode(node);
  }
  // It was chosen for where they stood; what groups hold goes with their words.
  for (const NodeIndex node : moved) r.ledger.ShedKept(node);
  for (const auto& [id, group] : r.groups.groups()) {
    const bool reread = others && (group->size() == 0 || group->topology() == id_of);
    if (!reread && !shaken.contains(id)) continue;
    group->SetQuality(std::nullopt);  // it was told by levels that are no more
    r.roster.MakeStale(*group, "the topology has changed");
  }
  if (others) r.jobs.OnTopology();
  if (others) r.named_reservations.ReadAnew();
  r.ReadStale(now);
  r.StartRecovery(now);
  r.Settle(now);
  return true;
}

void Planner::OnTopologyFault(std::string fault) { rooms_->topology_fault = std::move(fault); }

}  // namespace gangplan
