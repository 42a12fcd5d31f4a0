// Nodes by index: their facts, and what is allocatable, used and held of each resource. Amounts are
// kept per node (a node has about ten), so memory follows what nodes and pods really name; beside
// them, what counting a new shape reads of every node lies in flat arrays.
// Invariant: a record lives as long as the node exists, here or as another one's, or a pod or hold
// is on it; then its index may be given to another node. Sums of amounts are 128 bits wide and
// cannot overflow. Internal to the model. Thread rule: that of the model.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "topology/amount_columns.h"
#include "topology/barrier_table.h"
#include "topology/base/steady_index.h"
#include "topology/fit_counts.h"
#include "topology/label_columns.h"
#include "topology/model.h"
#include "topology/node_home.h"
#include "topology/resource_table.h"

namespace gangplan {

struct NodeAmount {
  ResourceId resource = kNoResource;
  int64_t implied = 0;
  int64_t allocatable = 0;
  WideAmount used = 0;
  WideAmount held = 0;

  WideAmount free() const { return allocatable - used - held; }
  // As on a node that does not name the resource.
  bool blank() const { return allocatable == implied && used == 0 && held == 0; }
};

struct HeldDemand {
  DemandId demand = kNoDemand;
  int32_t count = 0;
};

struct NodeRecord {
  NodeFacts facts;  // when the node does not exist only the name; labels, too, of another one's
  bool exists = false;
  bool foreign = false;  // it is another one's
  int32_t pods = 0;
  int32_t holds = 0;
  absl::InlinedVector<HeldDemand, 1> held;
  std::vector<NodeAmount> amounts;

  const NodeAmount* Find(ResourceId resource) const;
  // What there is of the resource of `part` for members to come, at least 0.
  int64_t Room(const InternedAmount& part, CountKind kind) const;
  // Likewise now, but less than 0 where more is promised or used than there is.
  WideAmount Free(const InternedAmount& part) const;
};

class NodeTable {
 public:
  NodeIndex Find(std::string_view name) const;
  NodeIndex FindOrAdd(std::string_view name);
  NodeRecord& at(NodeIndex node) { return records_[node]; }
  const NodeRecord& at(NodeIndex node) const { return records_[node]; }
  NodeIndex size() const { return static_cast<NodeIndex>(records_.size()); }  // indices ever given
  int32_t existing() const { return existing_; }
  int32_t foreign() const { return foreign_; }
  int32_t leaf(NodeIndex node) const { return leaves_[node]; }  // -1: not in its tree
  void SetLeaf(NodeIndex node, int32_t leaf) { leaves_[node] = leaf; }
  // Of one that exists; else no topology.
  const NodeHome& home(NodeIndex node) const { return homes_[node]; }
  void SetHome(NodeIndex node, const NodeHome& home) { homes_[node] = home; }
  std::span<const BarrierId> barriers() const { return barriers_; }  // by node index
  const BarrierTable& barrier_table() const { return barrier_table_; }
  const AmountColumns& columns() const { return columns_; }
  const LabelColumns& labels() const { return labels_; }

  // Facts in, or out (the name stays). True when some allocatable amount grew.
  bool SetFacts(NodeIndex node, const NodeFacts& facts, ResourceTable& resources);
  void ClearFacts(NodeIndex node, ResourceTable& resources);
  // In place of its facts, if it had any: it is another one's.
  void SetForeign(NodeIndex node, const LabelSet& labels, ResourceTable& resources);

  // `times` is 1 or -1. The caller keeps `pods` and the demand's users.
  void Use(NodeIndex node, std::span<const InternedAmount> amounts, int times);
  // Keeps `holds` and `held`.
  void Hold(NodeIndex node, DemandId demand, std::span<const InternedAmount> amounts);
  void Unhold(NodeIndex node, DemandId demand, std::span<const InternedAmount> amounts);

  // Forgets the record when nothing is known of it any more.
  void Tidy(NodeIndex node);

 private:
  NodeAmount& At(NodeIndex node, const InternedAmount& part);  // made when missing
  void Clear(NodeIndex node, ResourceTable& resources);
  void DropEmptyAmounts(NodeIndex node);
  void Publish(NodeIndex node, const NodeAmount& amount);  // to the columns
  void PublishAll(ResourceId resource);

  std::deque<NodeRecord> records_;  // which does not move them all when it grows
  std::vector<int32_t> leaves_;     // in the trees of their topologies
  std::vector<NodeHome> homes_;
  std::vector<BarrierId> barriers_;
  BarrierTable barrier_table_;
  AmountColumns columns_;
  LabelColumns labels_;
  std::vector<NodeIndex> unused_;
  SteadyIndex<NodeIndex> by_name_;
  int32_t existing_ = 0;
  int32_t foreign_ = 0;
};

}  // namespace gangplan
