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

int64_t NodeRecord::Room(const InternedAmount& part, CountKind kind) const {
  const NodeAmount* amount = Find(part.resource);
  if (amount == nullptr) return part.implied;
  if (kind == CountKind::kEmpty) return amount->allocatable;
  return std::max(Narrow(amount->free()), int64_t{0});
}

WideAmount NodeRecord::Free(const InternedAmount& part) const {
  const NodeAmount* amount = Find(part.resource);
  return amount == nullptr ? WideAmount{part.implied} : amount->free();
}

NodeAmount& NodeTable::At(NodeIndex node, const InternedAmount& part) {
  std::vector<NodeAmount>& amounts = records_[node].amounts;
  for (NodeAmount& amount : amounts) {
    if (amount.resource == part.resource) return amount;
  }
  if (columns_.AddCarrier(part, node)) PublishAll(part.resource);
  return amounts.emplace_back(
      NodeAmount{.resource = part.resource, .implied = part.implied, .allocatable = part.implied});
}

void NodeTable::Publish(NodeIndex node, const NodeAmount& amount) {
  columns_.Set(amount.resource, node, Narrow(amount.free()), amount.allocatable);
}

void NodeTable::PublishAll(ResourceId resource) {
  for (NodeIndex node : columns_.Carriers(resource)) {
    const NodeAmount* amount = records_[node].Find(resource);
    if (amount != nullptr) Publish(node, *amount);
  }
}

NodeIndex NodeTable::Find(std::string_view name) const {
  const NodeIndex* known = by_name_.Find(name);
  return known == nullptr ? kNoNode : *known;
}

NodeIndex NodeTable::FindOrAdd(std::string_view name) {
  if (NodeIndex known = Find(name); known != kNoNode) return known;
  NodeIndex node = size();
  if (unused_.empty()) {
    records_.emplace_back();
    leaves_.push_back(-1);
    homes_.emplace_back();
    barriers_.push_back(kNoSuchNode);
    columns_.Resize(size());
    labels_.Resize(size());
  } else {
    node = unused_.back();
    unused_.pop_back();
  }
  records_[node].facts.name = name;
  by_name_.Set(name, node);
  return node;
}

bool NodeTable::SetFacts(NodeIndex node, const NodeFacts& facts, ResourceTable& resources) {
  NodeRecord& record = records_[node];
  std::vector<InternedAmount> fresh;
  for (const ResourceAmount& part : facts.allocatable) {
    if (!resources.Excludes(part.name))
      fresh.push_back({resources.Acquire(part.name), part.amount});
  }
  bool grew = false;
  for (const InternedAmount& part : fresh) {
    const NodeAmount* before = record.Find(part.resource);
    grew |= part.amount > (before ? before->allocatable : 0);
  }
  labels_.Put(node, record.facts.labels, facts.labels);
  Clear(node, resources);
  for (const InternedAmount& part : fresh) {
    NodeAmount& amount = At(node, part);
    amount.allocatable = part.amount;
    Publish(node, amount);
  }
  record.facts = facts;
  barriers_[node] = barrier_table_.Acquire(facts);
  record.exists = true;
  ++existing_;
  return grew;
}

void NodeTable::ClearFacts(NodeIndex node, ResourceTable& resources) {
  labels_.Put(node, records_[node].facts.labels, {});
  Clear(node, resources);
}

void NodeTable::SetForeign(NodeIndex node, const LabelSet& labels, ResourceTable& resources) {
  NodeRecord& record = records_[node];
  labels_.Put(node, record.facts.labels, labels);
  Clear(node, resources);
  record.facts.labels = labels;
  record.foreign = true;
  ++foreign_;
}

// All but the labels' columns.
void NodeTable::Clear(NodeIndex node, ResourceTable& resources) {
  NodeRecord& record = records_[node];
  for (NodeAmount& amount : record.amounts) {
    amount.allocatable = amount.implied;
    Publish(node, amount);
  }
  DropEmptyAmounts(node);
  for (const ResourceAmount& part : record.facts.allocatable) {
    if (!resources.Excludes(part.name)) resources.Release(resources.Find(part.name));
  }
  NodeFacts only_name;
  only_name.name = record.facts.name;
  record.facts = std::move(only_name);
  existing_ -= record.exists;
  foreign_ -= record.foreign;
  record.exists = record.foreign = false;
  barrier_table_.Release(barriers_[node]);
  barriers_[node] = kNoSuchNode;
}

void NodeTable::Use(NodeIndex node, std::span<const InternedAmount> amounts, int times) {
  for (const InternedAmount& part : amounts) {
    NodeAmount& amount = At(node, part);
    amount.used += static_cast<WideAmount>(part.amount) * times;
    Publish(node, amount);
  }
  if (times < 0) DropEmptyAmounts(node);
}

void NodeTable::Hold(NodeIndex node, DemandId demand, std::span<const InternedAmount> amounts) {
  NodeRecord& record = records_[node];
  for (const InternedAmount& part : amounts) {
    NodeAmount& amount = At(node, part);
    amount.held += part.amount;
    Publish(node, amount);
  }
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
  for (const InternedAmount& part : amounts) {
    NodeAmount& amount = At(node, part);
    amount.held -= part.amount;
    Publish(node, amount);
  }
  DropEmptyAmounts(node);
}

void NodeTable::Tidy(NodeIndex node) {
  NodeRecord& record = records_[node];
  if (record.exists || record.foreign || record.pods > 0 || record.holds > 0) return;
  by_name_.Erase(record.facts.name);
  record = {};
  leaves_[node] = -1;
  unused_.push_back(node);
}

// What nothing names any more goes, so that a resource's id can be given to another name.
void NodeTable::DropEmptyAmounts(NodeIndex node) {
  std::erase_if(records_[node].amounts, [&](const NodeAmount& amount) {
    if (amount.blank()) columns_.RemoveCarrier(amount.resource, node);
    return amount.blank();
  });
}

}  // namespace gangplan
