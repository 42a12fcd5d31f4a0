#include "topology/amount_columns.h"

namespace gangplan {

void AmountColumns::Resize(NodeIndex size) {
  size_ = size;
  for (Entry& entry : entries_) {
    if (!entry.common) continue;
    entry.common = !Rare(entry);
    if (!entry.common) {
      entry.column = {};
      continue;
    }
    entry.column.free.resize(size, entry.implied);
    entry.column.allocatable.resize(size, entry.implied);
  }
}

bool AmountColumns::AddCarrier(const InternedAmount& part, NodeIndex node) {
  if (static_cast<size_t>(part.resource) >= entries_.size()) entries_.resize(part.resource + 1);
  Entry& entry = entries_[part.resource];
  entry.carriers.insert(node);
  entry.implied = part.implied;
  if (entry.common || Carried(entry) < size_) return false;
  entry.common = true;
  entry.column.free.assign(size_, entry.implied);
  entry.column.allocatable.assign(size_, entry.implied);
  return true;
}

void AmountColumns::RemoveCarrier(ResourceId resource, NodeIndex node) {
  Entry& entry = entries_[resource];
  Set(resource, node, entry.implied, entry.implied);
  entry.carriers.erase(node);
  if (!entry.carriers.empty() && !Rare(entry)) return;
  entry.common = false;
  entry.column = {};
}

const AmountColumns::NodeSet& AmountColumns::Carriers(ResourceId resource) const {
  static const NodeSet kNobody;
  if (static_cast<size_t>(resource) >= entries_.size()) return kNobody;
  return entries_[resource].carriers;
}

void AmountColumns::Set(ResourceId resource, NodeIndex node, int64_t free, int64_t allocatable) {
  Entry& entry = entries_[resource];
  if (!entry.common) return;
  entry.column.free[node] = free;
  entry.column.allocatable[node] = allocatable;
}

const AmountColumn* AmountColumns::Find(ResourceId resource) const {
  if (static_cast<size_t>(resource) >= entries_.size()) return nullptr;
  return entries_[resource].common ? &entries_[resource].column : nullptr;
}

}  // namespace gangplan
