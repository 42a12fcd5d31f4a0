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
    entry.column.free.resize(size);
    entry.column.allocatable.resize(size);
  }
}

bool AmountColumns::AddCarrier(ResourceId resource) {
  if (static_cast<size_t>(resource) >= entries_.size()) entries_.resize(resource + 1);
  Entry& entry = entries_[resource];
  ++entry.carriers;
  if (entry.common || int64_t{entry.carriers} * kMostNodesPerCarrier < size_) return false;
  entry.common = true;
  entry.column.free.assign(size_, 0);
  entry.column.allocatable.assign(size_, 0);
  return true;
}

void AmountColumns::RemoveCarrier(ResourceId resource, NodeIndex node) {
  Set(resource, node, 0, 0);
  Entry& entry = entries_[resource];
  --entry.carriers;
  if (entry.carriers > 0 && !Rare(entry)) return;
  entry.common = false;
  entry.column = {};
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
