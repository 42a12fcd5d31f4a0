// What keeps pods off a node whatever its labels are: that it is not there or not ready, a cordon,
// taints. Many nodes have few different barriers, so each kind is interned and a node filter is
// held against each of them once instead of against each node. Counted by users and forgotten with
// the last. Internal to the model. Thread rule: that of the model.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "topology/node_facts.h"

namespace gangplan {

using BarrierId = int32_t;
// Of every node that does not exist; has no entry that counts.
inline constexpr BarrierId kNoSuchNode = 0;

struct Barrier {
  bool ready = false;
  bool unschedulable = false;
  std::vector<Taint> taints;
  friend bool operator==(const Barrier&, const Barrier&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Barrier& b) {
    for (const Taint& taint : b.taints)
      h = H::combine(std::move(h), taint.key, taint.value, taint.effect);
    return H::combine(std::move(h), b.ready, b.unschedulable, b.taints.size());
  }
};

class BarrierTable {
 public:
  BarrierTable() : entries_(1) {}

  BarrierId Acquire(const NodeFacts& node);
  void Release(BarrierId barrier);  // kNoSuchNode is nobody's to release

  BarrierId size() const { return static_cast<BarrierId>(entries_.size()); }  // ids ever given
  // No node has it now, so it need not be looked at.
  bool unused(BarrierId barrier) const { return entries_[barrier].users == 0; }
  // Facts of which only readiness, cordon and taints are set.
  const NodeFacts& facts(BarrierId barrier) const { return entries_[barrier].facts; }

 private:
  struct Entry {
    NodeFacts facts;
    int32_t users = 0;
  };
  std::vector<Entry> entries_;
  std::vector<BarrierId> unused_;
  absl::flat_hash_map<Barrier, BarrierId> ids_;
};

}  // namespace gangplan
