// What is free and what is allocatable on every node, in one array a resource: what a new shape is
// counted from, without a look at the nodes' records. Only common resources have arrays, those that
// at least one node in kMostNodesPerCarrier names, so that memory stays in proportion to what nodes
// and pods really name. Amounts beyond int64 are cut to its ends, which no count can tell apart.
// Internal to the model. Thread rule: that of the model.
#pragma once

#include <cstdint>
#include <vector>

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
  // There are `size` node indices now. Drops the arrays of what is not common any more.
  void Resize(NodeIndex size);

  // A node names the resource, or does not any more (its amounts are 0 then). True when the
  // resource has become common: the caller sets the amounts of every node.
  bool AddCarrier(ResourceId resource);
  void RemoveCarrier(ResourceId resource, NodeIndex node);

  void Set(ResourceId resource, NodeIndex node, int64_t free, int64_t allocatable);

  // Null for a resource that is not common.
  const AmountColumn* Find(ResourceId resource) const;

 private:
  struct Entry {
    int32_t carriers = 0;
    bool common = false;
    AmountColumn column;
  };
  // Twice as many nodes may come without the resource before its arrays go.
  bool Rare(const Entry& entry) const {
    return int64_t{entry.carriers} * kMostNodesPerCarrier * 2 < size_;
  }

  std::vector<Entry> entries_;  // by resource
  NodeIndex size_ = 0;
};

}  // namespace gangplan
