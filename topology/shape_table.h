// Shapes and their cached fit counts. A shape lives as long as it has users or its counts are
// cached; beyond kMaxCountedShapes the least recently read ones lose their counts (and, without
// users, themselves). A change is only noted; a shape catches up with the nodes that changed when
// it is read: a division and a walk up the tree each, or all nodes anew where many changed. Per
// shape and node two bits say whether the node may be used now and at its best, so that a change
// of usage needs no look at the filter. A new shape costs a few passes over flat arrays; it looks
// at the nodes' records only for a label that no counted shape has asked for, and at few of them
// for a resource that few nodes name.
// Internal to the model. Thread rule: that of the model.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "topology/change_log.h"
#include "topology/fit_counts.h"
#include "topology/gain_trail.h"
#include "topology/model.h"
#include "topology/node_table.h"
#include "topology/resource_table.h"
#include "topology/tree.h"

namespace gangplan {

// What the shape table reads of the rest of the model.
struct ShapeContext {
  const NodeTable& nodes;
  DemandTable& demands;
  ResourceTable& resources;
  const Tree& tree;                          // up to date, or no counts are kept
  const std::vector<NodeIndex>& leaf_nodes;  // leaf_nodes[leaf]: the node of a leaf of the tree
  TopologyIndex topology = 0;                // whose tree it is

  bool Has(NodeIndex node) const { return nodes.home(node).topology == topology; }
  int32_t LeafOf(NodeIndex node) const { return Has(node) ? nodes.leaf(node) : -1; }
};

class ShapeTable {
 public:
  ShapeId Acquire(TopologyIndex topology, const ResourceList& demand, const NodeFilter& filter,
                  DemandTable& demands, ResourceTable& resources);
  void Retain(ShapeId shape) { ++shapes_[shape].users; }
  void Release(ShapeId shape, DemandTable& demands, ResourceTable& resources);
  DemandId demand(ShapeId shape) const { return shapes_[shape].demand; }
  const NodeFilter& filter(ShapeId shape) const { return shapes_[shape].filter; }
  TopologyIndex topology(ShapeId shape) const { return shapes_[shape].topology; }
  std::vector<ShapeId> WithUsers() const;

  // A context is always that of the shape's topology. REQUIRES: the tree is up to date.
  const FitCounts& Counts(ShapeId shape, CountKind kind, const ShapeContext& context);
  // What these were made with: kUsableNow, kUsableAtBest of each node, by its index. REQUIRES:
  // Counts was asked of the shape, and nothing since.
  const std::vector<uint8_t>& usable(ShapeId shape) const { return shapes_[shape].usable; }

  // Of one node, beside taken[i] members of beside[i]; with nothing taken the node's count.
  int32_t CountBeside(ShapeId shape, CountKind kind, NodeIndex node,
                      std::span<const ShapeId> beside, std::span<const int32_t> taken,
                      const ShapeContext& context);
  // Lowers the counts of all leaves to that. REQUIRES: they are not above the shape's own.
  void LimitBeside(ShapeId shape, CountKind kind, std::span<const ShapeId> beside,
                   std::span<const int32_t> taken, std::span<int32_t> counts,
                   const ShapeContext& context) const;

  // A node has changed. O(1).
  void Changed(const ChangeLog::Change& change) { changes_.Note(change); }
  // The levels of a topology are others, so every shape of it may have gained anywhere.
  void LevelsChanged(TopologyIndex topology);
  // Its tree is out of date: counts must be made anew.
  void DropCounts(TopologyIndex topology);

  int64_t work() const { return work_; }  // see Model::work
  // See Model::Gain and Model::GainedLeaves.
  uint64_t gain_version() const { return changes_.last_freed(); }
  uint64_t Gain(std::span<const ShapeId> together, const ShapeContext& context);
  std::optional<std::vector<NodeIndex>> GainedNodes(std::span<const ShapeId> together,
                                                    uint64_t since, const ShapeContext& context);
  // Drops what is beyond the limit, the least recently read first. O(counted shapes).
  void Trim(DemandTable& demands, ResourceTable& resources);

 private:
  struct KeptCounts {
    bool valid = false;
    FitCounts counts;
  };
  struct Shape {
    DemandId demand = kNoDemand;
    NodeFilter filter;
    TopologyIndex topology = 0;
    size_t hash = 0;
    int32_t users = 0;
    uint64_t last_read = 0;
    bool cached = false;             // all below is kept, as it was at `seen`
    std::vector<uint8_t> usable;     // by node index: kUsableNow, kUsableAtBest
    std::array<KeptCounts, 2> kept;  // by kind
    GainTrail gains;
    ChangeLog::Position seen = 0;
    KeptCounts& of(CountKind kind) { return kept[static_cast<size_t>(kind)]; }
    const KeptCounts& of(CountKind kind) const { return kept[static_cast<size_t>(kind)]; }
  };

  // Has the shape cached and up to date.
  void Touch(ShapeId shape, const ShapeContext& context);
  void CatchUp(Shape& shape, const ShapeContext& context);
  void CatchUpAll(Shape& shape, const ShapeContext& context);
  void CatchUpNode(Shape& shape, const ChangeLog::Change& change, const ShapeContext& context);
  std::vector<uint8_t> Usable(const Shape& shape, const ShapeContext& context);
  std::vector<int32_t> CountLeaves(const Shape& shape, CountKind kind, const ShapeContext& context);
  // Of one node. True when the count grew, or may have where none is kept.
  bool Recount(Shape& shape, CountKind kind, const ChangeLog::Change& change,
               const ShapeContext& context);
  void Forget(ShapeId shape, DemandTable& demands, ResourceTable& resources);

  std::deque<Shape> shapes_;  // references stay valid when it grows
  std::vector<ShapeId> unused_;
  std::vector<ShapeId> cached_;
  std::unordered_multimap<size_t, ShapeId> by_hash_;
  uint64_t reads_ = 0;
  ChangeLog changes_;
  uint64_t levels_changed_ = 0;  // a version
  int64_t work_ = 0;
};

}  // namespace gangplan
