#include "extender/planner/left_nodes.h"

#include <string>
#include <utility>

#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"

namespace gangplan {

void LeftNodes::Tick() {
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
    if (group.bound() > 0) Tell(group);
    budget -= 1 + std::ssize(group.slots());
    told_ = next->first;
  }
  nodes_.clear();
}

void LeftNodes::Tell(const Group& group) const {
  const Model& model = books_.ledger.model();
  const Member* first = nullptr;
  std::set<NodeIndex> where;
  int32_t pods = 0;
  for (const Slot& slot : group.slots()) {
    if (slot.state != SlotState::kBound || slot.member() == nullptr) continue;
    if (!nodes_.contains(slot.node)) continue;
    if (first == nullptr) first = slot.member();
    where.insert(slot.node);
    ++pods;
  }
  if (first == nullptr) return;
  const NodeIndex node = group.slot(first->slot).node;
  const LabelSet* labels = model.ForeignLabels(node);
  const std::string more = where.size() > 1 ? fmt::format(" and {} more", where.size() - 1) : "";
  std::string note = fmt::format(
      "gang {} of {}: {} of its pods run on nodes that are not this scheduler's any more: {} "
      "({}){}; "
      "they stay there, and what is made anew of the gang goes to this scheduler's nodes",
      group.name(), group.size(), pods, model.NodeName(node),
      labels == nullptr ? "" : WhyOutside(ours_, *labels), more);
  books_.outbox.Push(EventNote{group.key().ns, group.owner().value_or(AsObject(first->pod)), true,
                               kNodesLeft, kPlanAction, std::move(note)});
}

}  // namespace gangplan
