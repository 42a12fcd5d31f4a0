// What is free and what is allocatable on every node, in one array a resource: what a new shape is
// counted from, without a look at the nodes' records. Only common resources have arrays, those that
// at least one node in kMostNodesPerCarrier names, so that memory stays in proportion to what nodes
// and pods really name; of the others it is known which nodes name them. Amounts beyond int64 are
// cut to its ends, which no count can tell apart.
// Internal to the model. Thread rule: that of the model.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "topology/model.h"
#include "topology/resource_table.h"

namespace gangplan {

inline constexpr int32_t kMostNodesPerCarrier = 16;

struct AmountColumn {
  std::vector<int64_t> free;  // by node index
  std::vector<int64_t> allocatable;
};

class AmountColumns {
 public:
  using NodeSet = absl::flat_hash_set<NodeIndex>;

  // There are `size` node indices now. Drops the arrays of what is not common any more.
  void Resize(NodeIndex size);

  // A node names the resource of `part`, or does not any more (it has the implied amount then).
  // True when the resource has become common: the caller sets the amounts of its carriers.
  bool AddCarrier(const InternedAmount& part, NodeIndex node);
  void RemoveCarrier(ResourceId resource, NodeIndex node);
  // The nodes that name it; all others have the implied amount.
  const NodeSet& Carriers(ResourceId resource) const;

  void Set(ResourceId resource, NodeIndex node, int64_t free, int64_t allocatable);

  // Null for a resource that is not common.
  const AmountColumn* Find(ResourceId resource) const;

 private:
  struct Entry {
    NodeSet carriers;
    int64_t implied = 0;
    bool common = false;
    AmountColumn column;
  };
  // Twice as many nodes may come without the resource before its arrays go.
  bool Rare(const Entry& entry) const { return Carried(entry) * 2 < size_; }
  static int64_t Carried(const Entry& entry) {
    return static_cast<int64_t>(entry.carriers.size()) * kMostNodesPerCarrier;
  }

  std::vector<Entry> entries_;  // by resource
  NodeIndex size_ = 0;
};

}  // namespace gangplan
