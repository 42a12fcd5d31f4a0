// The cluster as planning sees it: nodes, what is bound and held on them, and how many members of
// each shape fit where.
//
// There may be several topologies, by their index: each has its own nodes (node_home.h), its own
// tree of them, and shapes that are counted in that tree alone. A leaf is one of the tree of the
// shape that is asked about, or of the topology that is named.
//
// Invariants: free = allocatable - requests of the pods on the node - holds, per resource, and may
// be negative (a node that someone over-committed counts as 0 for every shape). Of an implied
// resource (implied_resource.h) every node has the same; no node lists it. Pods may come before
// their node; a node that goes takes no pods with it. Fit counts handed out are always those of the
// present moment. Results never depend on the order in which facts arrived.
//
// Thread rule: one thread at a time (the service's mutex), also among readers: a read may fill in
// counts and the tree, which no answer shows, so reads are const. A copy is independent, and so is
// a tree that is shared.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "topology/fit_counts.h"
#include "topology/model_ids.h"
#include "topology/node_facts.h"
#include "topology/node_filter.h"
#include "topology/node_home.h"
#include "topology/resources.h"
#include "topology/tree.h"

namespace gangplan {

inline constexpr int32_t kMaxNodes = 100'000;

// Fit counts of the least recently used shapes beyond this many are dropped at the next change, or
// before some more of them are counted. A counted shape takes about 9 bytes a node: all of them 24
// MB at 5,120 nodes, 240 MB at 51,200.
inline constexpr size_t kMaxCountedShapes = 512;
// So many gains of a shape are told apart; of older ones only that there were some.
inline constexpr size_t kMaxGains = 256;

// What becomes of one resource of a node; amounts beyond int64 are given as its largest value.
struct ResourceUse {
  int64_t allocatable = 0;
  int64_t used = 0;  // requests of pods
  int64_t held = 0;
  friend bool operator==(const ResourceUse&, const ResourceUse&) = default;
};

class LabelColumn;
class PlacementSnapshot;

class Model {
 public:
  // REQUIRES: there is one at least, and they came from CompleteTopology. `excluded`: beginnings of
  // the names of resources that nobody has and nobody asks for here, whatever objects say.
  explicit Model(std::vector<ScopedTopology> topologies, std::vector<std::string> excluded = {});
  explicit Model(Topology topology) : Model(std::vector<ScopedTopology>{{std::move(topology)}}) {}
  Model(const Model&);
  Model& operator=(const Model&);
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  // --- Facts. Each is O(changed), however many shapes are counted; what a change costs them is
  // paid when they are read. After a change of the set of nodes or of a level label the next read
  // makes the tree from the last one, O(n), and so does each 512th such change.
  // ResourceExhausted at kMaxNodes.
  absl::Status UpsertNode(const NodeFacts& node);
  void RemoveNode(std::string_view name);
  // A node that is another one's: it is none of those that exist, takes nobody and adds to nothing.
  // Its labels alone are known, because pods there have neighbours beyond it. ResourceExhausted at
  // kMaxNodes of such.
  absl::Status PutForeign(std::string_view name, const LabelSet& labels);
  // A pod that occupies `node_name` with `requests`; replaces what was known of this uid.
  void PutPod(std::string_view uid, std::string_view node_name, const ResourceList& requests);
  void ErasePod(std::string_view uid);
  // Likewise, where its room is taken again at once, by a hold: what comes free is no gain.
  void LiftPod(std::string_view uid);
  // Other levels from now on, of the same nodes: pods, holds and shapes stay. REQUIRES: as the
  // constructor.
  void SetTopology(TopologyIndex index, Topology topology);

  // --- Shapes. Equal contents give the same id; a released id with no user left may be reused.
  ShapeId AcquireShape(TopologyIndex topology, const ResourceList& demand,
                       const NodeFilter& filter);
  void RetainShape(ShapeId shape);  // one more user, as AcquireShape
  void ReleaseShape(ShapeId shape);
  const ResourceList& demand(ShapeId shape) const;
  TopologyIndex TopologyOf(ShapeId shape) const;

  // --- Holds: room for one member of `shape`: its demand, so shapes of equal demand stand for each
  // other here. A hold may outlive its shape's users. REQUIRES on removal: there is such a hold.
  void AddHold(NodeIndex node, ShapeId shape);
  void RemoveHold(NodeIndex node, ShapeId shape);
  // Likewise, but for a moment: what comes free is no gain, because the hold is added again, or
  // added and removed, or a pod takes its place.
  void LiftHold(NodeIndex node, ShapeId shape);
  int32_t HoldCount(NodeIndex node) const;

  // --- Reads.
  NodeIndex FindNode(std::string_view name) const;  // kNoNode when unknown
  const std::string& NodeName(NodeIndex node) const;
  // The node exists now, and its facts; null for a node that is only known by a pod or a hold, or
  // as another one's.
  const NodeFacts* Facts(NodeIndex node) const;
  int32_t node_count() const;                           // nodes that exist
  const LabelSet* ForeignLabels(NodeIndex node) const;  // null: it is not known as another one's
  int32_t foreign_count() const;
  // The values of a label, by node: of the model, or `made` for this question, which takes
  // O(nodes).
  const LabelColumn& Label(std::string_view key, LabelColumn& made) const;
  // Of every node that exists, in no order that means anything. Valid until the next change.
  std::vector<const NodeFacts*> AllFacts() const;
  const std::vector<ScopedTopology>& topologies() const;
  // Of a node that exists; of others no topology.
  NodeHome HomeOf(NodeIndex node) const;
  // Nodes that exist and are in no topology's selector, or in more than one's; O(nodes).
  struct Strays {
    int32_t in_none = 0;
    int32_t in_several = 0;
    std::string none_for_one;  // the first by name, and so is the other
    std::string several_for_one;
  };
  Strays FindStrays() const;
  // The names of those in none, of `most` nodes from `next` on, which goes behind them; kNoNode:
  // that were the last ones.
  std::vector<std::string> InNone(NodeIndex& next, int32_t most) const;
  const Tree& tree(TopologyIndex topology) const;
  // The same tree object, kept alive by whoever has this also when the model builds another.
  std::shared_ptr<const Tree> SharedTree(TopologyIndex topology) const;
  // All trees are up to date from here on until a node comes, goes or moves: a reader pays nothing.
  void MakeTrees() const;
  NodeIndex NodeOfLeaf(TopologyIndex topology, int32_t leaf) const;
  int32_t LeafOfNode(TopologyIndex topology, NodeIndex node) const;  // -1: not in that tree

  // Exists, of the shape's topology, ready, selector matches, taints tolerated, and not cordoned
  // (or that is tolerated too).
  bool MayUse(NodeIndex node, ShapeId shape) const;
  // Some resource is promised or used beyond what is allocatable.
  bool Overcommitted(NodeIndex node) const;
  ResourceUse Use(NodeIndex node, std::string_view resource) const;
  bool Excludes(std::string_view resource) const;
  // These without what is excluded.
  ResourceList Counted(ResourceList amounts) const;
  // Beside pods and holds, of all nodes that exist; one that is over-committed takes away from the
  // others. Amounts beyond int64 are given as its ends. O(nodes) over flat arrays.
  int64_t FreeInAll(std::string_view resource) const;
  // The node exists and `demand` fits beside pods and holds, once `give_back` of the holds or pods
  // is taken off. Only what `demand` names counts, and the node need not be eligible.
  bool HasRoom(NodeIndex node, const ResourceList& demand,
               const ResourceList& give_back = {}) const;
  // Adds the shapes of holds on a node that may be looked behind.
  using GivesBack = std::function<void(NodeIndex, std::vector<ShapeId>&)>;
  // Of these nodes, in their order, those where something of `demand` that they list does not fit
  // beside pods and holds but those that give back, and those that do not exist. O(nodes x parts);
  // who gives back is asked where it matters.
  std::vector<NodeIndex> Lacking(std::span<const NodeIndex> nodes, const ResourceList& demand,
                                 const GivesBack& gives_back) const;

  // Fit counts now. O(nodes) at first, later O(nodes that changed since the shape was read last x
  // depth), and never much more than at first. Valid until the next change, or until
  // kMaxCountedShapes other shapes were read.
  const FitCounts& Counts(ShapeId shape) const;
  // Fit counts of the empty cluster: no pods, no holds, cordoned and not-ready nodes usable;
  // selectors and lasting taints apply.
  const FitCounts& EmptyCounts(ShapeId shape) const;
  const FitCounts& Counts(ShapeId shape, CountKind kind) const {
    return kind == CountKind::kNow ? Counts(shape) : EmptyCounts(shape);
  }

  // How many of `shape` fit on a leaf, now or when the cluster is empty, beside taken[i] members of
  // beside[i] that stand there as well; with nothing taken the leaf's count. Less than 0 are taken
  // where holds of them are looked behind. O(demanded resources x shapes beside). REQUIRES: `leaf`
  // is one of the shape's tree; of the shapes beside it is the demand alone that counts.
  // Below, Limit does it for all leaves at once.
  int32_t FitBeside(int32_t leaf, CountKind kind, ShapeId shape, std::span<const ShapeId> beside,
                    std::span<const int32_t> taken) const;
  // counts[leaf] becomes the least of itself and that. REQUIRES: they are not above the shape's
  // counts; nothing in `taken` is below 0. O(leaves x resources that both ask for).
  void LimitBeside(CountKind kind, ShapeId shape, std::span<const ShapeId> beside,
                   std::span<const int32_t> taken, std::span<int32_t> counts) const;

  // What all reads have cost so far, in leaves that were counted or looked at: some 10 ns each.
  int64_t work() const;

  // Grows whenever something changed that can make a shape fit that did not fit before: room came
  // free, allocatable grew, a node came, became ready or open, lost a taint or changed its labels,
  // the levels became others.
  uint64_t gain_version() const;

  // Grows only when pods of these shapes, which are of one topology, may fit together that did not
  // before. Of one shape: a
  // count of it grew on some leaf, now or on the empty cluster. Of several: something came free, or
  // a leaf's facts changed, where one of them may stand, because they may fit beside each other
  // where neither count grew. Of a shape whose counts were never read or are not kept it is
  // gain_version(); after a change of the set of nodes, until its counts are read again, what came
  // free counts as a gain. O(nodes that changed since the shape was read last).
  uint64_t Gain(std::span<const ShapeId> together) const;
  // The leaves that this is true of since Gain() was `since`, ascending. Nullopt: any leaf may have
  // gained, because there were more than kMaxGains gains, the levels changed, or counts were
  // dropped or made anew since.
  std::optional<std::vector<int32_t>> GainedLeaves(std::span<const ShapeId> together,
                                                   uint64_t since) const;

  // For tests: a text of every count and amount, equal for equal contents.
  std::string Fingerprint() const;

 private:
  friend class PlacementSnapshot;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gangplan
