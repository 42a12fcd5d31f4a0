#include "topology/node_table.h"

#include <algorithm>

#include "topology/base/check.h"

namespace gangplan {

const NodeAmount* NodeRecord::Find(ResourceId resource) const {
  for (const NodeAmount& amount : amounts) {
    if (amount.resource == resource) return &amount;
  }
  return nullptr;
}

NodeAmount& NodeRecord::At(ResourceId resource) {
  for (NodeAmount& amount : amounts) {
    if (amount.resource == resource) return amount;
  }
  return amounts.emplace_back(NodeAmount{.resource = resource});
}

NodeIndex NodeTable::Find(std::string_view name) const {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? kNoNode : it->second;
}

NodeIndex NodeTable::FindOrAdd(std::string_view name) {
  if (NodeIndex known = Find(name); known != kNoNode) return known;
  NodeIndex node = size();
  if (unused_.empty()) {
    records_.emplace_back();
  } else {
    node = unused_.back();
    unused_.pop_back();
  }
  records_[node].facts.name = name;
  by_name_.emplace(name, node);
  return node;
}

bool NodeTable::SetFacts(NodeIndex node, const NodeFacts& facts, ResourceTable& resources) {
  NodeRecord& record = records_[node];
  std::vector<InternedAmount> fresh;
  for (const ResourceAmount& part : facts.allocatable)
    fresh.push_back({resources.Acquire(part.name), part.amount});
  bool grew = false;
  for (const InternedAmount& part : fresh) {
    const NodeAmount* before = record.Find(part.resource);
    grew |= part.amount > (before ? before->allocatable : 0);
  }
  ClearFacts(node, resources);
  for (const InternedAmount& part : fresh) record.At(part.resource).allocatable = part.amount;
  record.facts = facts;
  record.exists = true;
  ++existing_;
  return grew;
}

void NodeTable::ClearFacts(NodeIndex node, ResourceTable& resources) {
  NodeRecord& record = records_[node];
  for (NodeAmount& amount : record.amounts) amount.allocatable = 0;
  DropEmptyAmounts(record);
  for (const ResourceAmount& part : record.facts.allocatable)
    resources.Release(resources.Find(part.name));
  NodeFacts only_name;
  only_name.name = record.facts.name;
  record.facts = std::move(only_name);
  existing_ -= record.exists;
  record.exists = false;
}

void NodeTable::Use(NodeIndex node, std::span<const InternedAmount> amounts, int times) {
  NodeRecord& record = records_[node];
  for (const InternedAmount& part : amounts)
    record.At(part.resource).used += static_cast<WideAmount>(part.amount) * times;
  if (times < 0) DropEmptyAmounts(record);
}

void NodeTable::Hold(NodeIndex node, DemandId demand, std::span<const InternedAmount> amounts) {
  NodeRecord& record = records_[node];
  for (const InternedAmount& part : amounts) record.At(part.resource).held += part.amount;
  ++record.holds;
  auto it = std::find_if(record.held.begin(), record.held.end(),
                         [&](const HeldDemand& held) { return held.demand == demand; });
  if (it == record.held.end())
    record.held.push_back({demand, 1});
  else
    ++it->count;
}

void NodeTable::Unhold(NodeIndex node, DemandId demand, std::span<const InternedAmount> amounts) {
  NodeRecord& record = records_[node];
  auto it = std::find_if(record.held.begin(), record.held.end(),
                         [&](const HeldDemand& held) { return held.demand == demand; });
  GANGPLAN_CHECK(it != record.held.end());
  if (--it->count == 0) record.held.erase(it);
  --record.holds;
  for (const InternedAmount& part : amounts) record.At(part.resource).held -= part.amount;
  DropEmptyAmounts(record);
}

void NodeTable::Tidy(NodeIndex node) {
  NodeRecord& record = records_[node];
  if (record.exists || record.pods > 0 || record.holds > 0) return;
  by_name_.erase(record.facts.name);
  record = {};
  unused_.push_back(node);
}

// What nothing names any more goes, so that a resource's id can be given to another name.
void NodeTable::DropEmptyAmounts(NodeRecord& record) {
  std::erase_if(record.amounts, [&](const NodeAmount& amount) {
    return amount.allocatable == 0 && amount.used == 0 && amount.held == 0;
  });
}

}  // namespace gangplan
