#include "extender/planner/left_nodes.h"

#include <iterator>
#include <string>
#include <utility>

#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"

namespace gangplan {

void LeftNodes::Tick() {
  TellLanded();
  if (nodes_.empty()) {
    if (coming_.empty()) return;
    nodes_ = std::exchange(coming_, {});
    told_ = 0;
  }
  const auto& groups = books_.groups.groups();
  int64_t budget = kLeftLooks;
  for (auto next = groups.upper_bound(told_); next != groups.end(); ++next) {
    if (budget <= 0) return;
    const Group& group = *next->second;
    if (group.In(SlotState::kPosting) > 0) NoteLanding(group);
    if (group.bound() > 0) Tell(group, nodes_);
    budget -= 1 + std::ssize(group.slots());
    told_ = next->first;
  }
  nodes_.clear();
}

void LeftNodes::NoteLanding(const Group& group) {
  for (const Slot& slot : group.slots()) {
    if (slot.state == SlotState::kPosting && nodes_.contains(slot.node))
      landing_[group.id()].insert(slot.node);
  }
}

// All Bindings of the group have landed by now, or have come to nothing.
void LeftNodes::TellLanded() {
  for (auto next = landing_.begin(); next != landing_.end();) {
    const Group* group = books_.groups.Find(next->first);
    const bool open = group != nullptr && group->In(SlotState::kPosting) > 0;
    if (group != nullptr && !open) Tell(*group, next->second);
    next = open ? std::next(next) : landing_.erase(next);
  }
}

// It is in the topology that the group goes to.
bool LeftNodes::IsHome(const Group& group, NodeIndex node) const {
  return books_.ledger.HomeOf(node) == group.topology();
}

// Whose it was: of this scheduler's, or of the topology's.
std::string LeftNodes::WhoseText(const Group& group, NodeIndex node) const {
  const Model& model = books_.ledger.model();
  if (model.ForeignLabels(node) != nullptr) return "this scheduler's";
  return fmt::format("topology {}'s",
                     model.topologies()[static_cast<size_t>(group.topology())].name);
}

// What it is now.
std::string LeftNodes::WhyText(NodeIndex node) const {
  const Model& model = books_.ledger.model();
  if (const LabelSet* labels = model.ForeignLabels(node)) return WhyOutside(ours_, *labels);
  const TopologyIndex home = books_.ledger.HomeOf(node);
  if (home == kNoTopology) return "of none now";
  return fmt::format("of {} now", model.topologies()[static_cast<size_t>(home)].name);
}

void LeftNodes::Tell(const Group& group, const std::set<NodeIndex>& nodes) const {
  const Model& model = books_.ledger.model();
  const Member* first = nullptr;
  std::set<NodeIndex> where;
  int32_t pods = 0;
  for (const Slot& slot : group.slots()) {
    if (slot.state != SlotState::kBound || slot.member() == nullptr) continue;
    if (!nodes.contains(slot.node) || IsHome(group, slot.node)) continue;
    if (first == nullptr) first = slot.member();
    where.insert(slot.node);
    ++pods;
  }
  if (first == nullptr) return;
  const NodeIndex node = group.slot(first->slot).node;
  const std::string more = where.size() > 1 ? fmt::format(" and {} more", where.size() - 1) : "";
  std::string note = fmt::format(
      "gang {} of {}: {} of its pods run on nodes that are not {} any more: {} ({}){}; they stay "
      "there, and what is made anew of the gang goes to {} nodes",
      group.name(), group.size(), pods, WhoseText(group, node), model.NodeName(node), WhyText(node),
      more, WhoseText(group, node));
  books_.outbox.Push(EventNote{group.key().ns, group.owner().value_or(AsObject(first->pod)), true,
                               kNodesLeft, kPlanAction, std::move(note)});
}

}  // namespace gangplan
