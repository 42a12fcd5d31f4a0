// Shapes and their cached fit counts. A shape lives as long as it has users or its counts are
// cached; beyond kMaxCountedShapes the least recently read ones lose their counts (and, without
// users, themselves). Per shape and node two bits say whether the node may be used now and at its
// best, so that a change of usage costs a division and a walk up the tree. A new shape costs a few
// passes over flat arrays; only a label that no counted shape has asked for, or a resource that few
// nodes have, makes it look at the nodes' records.
// Internal to the model. Thread rule: that of the model.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "topology/fit_counts.h"
#include "topology/model.h"
#include "topology/node_table.h"
#include "topology/resource_table.h"
#include "topology/tree.h"

namespace gangplan {

// What the shape table reads of the rest of the model.
struct ShapeContext {
  NodeTable& nodes;  // only to have it keep labels
  const DemandTable& demands;
};

class ShapeTable {
 public:
  ShapeId Acquire(const ResourceList& demand, const NodeFilter& filter, DemandTable& demands,
                  ResourceTable& resources);
  void Release(ShapeId shape, DemandTable& demands, ResourceTable& resources);
  DemandId demand(ShapeId shape) const { return shapes_[shape].demand; }
  const NodeFilter& filter(ShapeId shape) const { return shapes_[shape].filter; }
  std::vector<ShapeId> WithUsers() const;

  // `leaf_nodes[leaf]` is the node of a leaf of `tree`.
  const FitCounts& Counts(ShapeId shape, CountKind kind, const Tree& tree,
                          const std::vector<NodeIndex>& leaf_nodes, const ShapeContext& context);

  // Of one node, beside taken[i] members of beside[i]; with nothing taken the node's count.
  int32_t CountBeside(ShapeId shape, CountKind kind, NodeIndex node,
                      std::span<const ShapeId> beside, std::span<const int32_t> taken,
                      const ShapeContext& context) const;

  // A node's facts, or only its usage, changed. `tree` is null while the tree is out of date.
  void FactsChanged(NodeIndex node, const Tree* tree, const ShapeContext& context);
  void UsageChanged(NodeIndex node, const Tree& tree, const ShapeContext& context);
  // The tree is out of date: counts must be made anew.
  void DropCounts();
  // Drops what is beyond the limit. Called before a change, so that what was read stays until then.
  void Trim(NodeTable& nodes, DemandTable& demands, ResourceTable& resources);

 private:
  struct KeptCounts {
    bool valid = false;
    FitCounts counts;
  };
  struct Shape {
    DemandId demand = kNoDemand;
    NodeFilter filter;
    size_t hash = 0;
    int32_t users = 0;
    uint64_t last_read = 0;
    bool cached = false;             // `usable` is kept up to date
    std::vector<uint8_t> usable;     // by node index: kUsableNow, kUsableAtBest
    std::array<KeptCounts, 2> kept;  // by kind
    KeptCounts& of(CountKind kind) { return kept[static_cast<size_t>(kind)]; }
  };

  // Of one node, where such counts are kept. REQUIRES: the node is in the tree.
  void Recount(Shape& shape, CountKind kind, NodeIndex node, const Tree& tree,
               const ShapeContext& context);
  void Touch(ShapeId shape, const ShapeContext& context);
  void Forget(ShapeId shape, DemandTable& demands, ResourceTable& resources);

  std::deque<Shape> shapes_;  // references stay valid when it grows
  std::vector<ShapeId> unused_;
  std::vector<ShapeId> cached_;
  std::unordered_multimap<size_t, ShapeId> by_hash_;
  uint64_t reads_ = 0;
};

}  // namespace gangplan
