#include "topology/barrier_table.h"

#include "topology/base/check.h"

namespace gangplan {

BarrierId BarrierTable::Acquire(const NodeFacts& node) {
  auto [it, fresh] = ids_.try_emplace({node.ready, node.unschedulable, node.taints}, size());
  if (fresh && !unused_.empty()) {
    it->second = unused_.back();
    unused_.pop_back();
  } else if (fresh) {
    entries_.emplace_back();
  }
  Entry& entry = entries_[it->second];
  if (fresh) {
    entry.facts.ready = node.ready;
    entry.facts.unschedulable = node.unschedulable;
    entry.facts.taints = node.taints;
  }
  ++entry.users;
  return it->second;
}

void BarrierTable::Release(BarrierId barrier) {
  if (barrier == kNoSuchNode) return;
  Entry& entry = entries_[barrier];
  GANGPLAN_CHECK(entry.users > 0);
  if (--entry.users > 0) return;
  ids_.erase({entry.facts.ready, entry.facts.unschedulable, entry.facts.taints});
  entry = {};
  unused_.push_back(barrier);
}

}  // namespace gangplan
