// Who is promised which room: the one owner of the cluster model, and the only class that changes
// the holds in it.
//
// A hold is room for one slot of a group. The holds of a group share one account: a reason and an
// expiry. A hold is pinned while a Binding to it is open: it yields to nobody and is not given up.
//
// Invariants, by BrokenInvariant: the holds of a node are those of the model; an account with a
// hold that is not pinned has an end; pods on nodes and holds are each other's neighbours.
//
// Thread rule: the planner's.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "extender/planner/group_id.h"
#include "extender/planner/limits.h"
#include "extender/planner/neighbours.h"
#include "extender/planner/timers.h"
#include "topology/base/steady_map.h"
#include "topology/base/text.h"
#include "topology/model.h"
#include "topology/pod_affinity.h"

namespace gangplan {

struct HoldId {
  GroupId group = 0;
  int32_t slot = 0;
  friend auto operator<=>(const HoldId&, const HoldId&) = default;
};

// Room for one member of `shape` that is held on `node`.
struct PromisedRoom {
  NodeIndex node = kNoNode;
  ShapeId shape = -1;
};

// What a group's holds are for; told to people and in the check.
enum class HoldReason : uint8_t {
  kGathering,   // members are missing
  kStarting,    // all members are there, the scheduler is to bind them
  kRepairing,   // a member of a started group is to be replaced
  kPreempting,  // others give way, and what they leave is kept until the last of them has gone
  kReserving,   // it is the first in line, and what comes free where it will go is kept for it
  kSparing,     // it runs, and has nodes left over for what it may lose
  kNamed,       // a reservation has it, or is about to
};

// Pods of at least this priority are the cluster's own (system-cluster-critical and above).
inline constexpr int32_t kSystemPriority = 2'000'000'000;

class Ledger {
 public:
  // REQUIRES: as the model's. `at_once`: holds of one group whose room comes
  // free in one turn.
  explicit Ledger(std::vector<ScopedTopology> topologies, size_t at_once = kMembersAtOnce,
                  std::vector<std::string> excluded = {})
      : at_once_(at_once), model_(std::move(topologies), std::move(excluded)) {}

  const Model& model() const { return model_; }
  const Neighbours& neighbours() const { return neighbours_; }
  TopologyIndex HomeOf(NodeIndex node) const {  // of no node: no topology
    return node == kNoNode ? kNoTopology : model_.HomeOf(node).topology;
  }

  // --- The cluster's facts, as the model takes them.
  absl::Status PutNode(const NodeFacts& node);
  void RemoveNode(std::string_view name);
  absl::Status PutForeign(std::string_view name, const LabelSet& labels);
  void SetTopology(TopologyIndex index, const Topology& topology) {
    model_.SetTopology(index, topology);
  }
  // `expected`: it is to be bound there, and the scheduler does not see it yet: as room that is
  // held it keeps others off, and is nobody to be beside.
  void PutPod(std::string_view uid, std::string_view node, const ResourceList& requests,
              const ProfileRef& who, bool expected = false);
  void ErasePod(std::string_view uid);
  // Likewise, of one whose room a hold of the same size takes on that node: nobody gains by it.
  void LiftPod(std::string_view uid);
  NodeIndex NodeOf(std::string_view uid) const;  // where the pod counts; kNoNode: nowhere
  ShapeId AcquireShape(TopologyIndex topology, const ResourceList& demand,
                       const NodeFilter& filter) {
    return model_.AcquireShape(topology, demand, filter);
  }
  void RetainShape(ShapeId shape) { model_.RetainShape(shape); }
  void ReleaseShape(ShapeId shape) { model_.ReleaseShape(shape); }
  // A pod set of the group is to be placed: from now on it is known when its neighbours change.
  void Seek(GroupId group, int32_t pod_set, const ProfileRef& who) {
    neighbours_.Seek(group, pod_set, who);
  }
  void StopSeeking(GroupId group) { neighbours_.Forget(group); }
  // Grows when the group may go where neighbours kept it from.
  uint64_t NeighbourGain(GroupId group) { return neighbours_.Gain(group); }

  // --- Holds.
  // For a pod of this profile. REQUIRES: there is no hold of this id; its group has an end (SetEnd)
  // before the next check.
  void Hold(HoldId id, NodeIndex node, ShapeId shape, int32_t priority, const ProfileRef& who);
  // REQUIRES: there is such a hold.
  void Release(HoldId id);
  // Likewise, of one whose room is held once more at once: nobody gains by it.
  void LiftOne(HoldId id);
  // The room of the hold is the pod's from now on: nobody gains by it. REQUIRES: there is such a
  // hold, of the pod's size; the pod counts nowhere.
  void GiveToPod(HoldId id, std::string_view uid, const ResourceList& requests,
                 const ProfileRef& who);
  // All of the group that are not pinned. Returns their slots, ascending. The room of those beyond
  // `at_once` comes free with FreeSpent; until then it yields to everybody.
  std::vector<int32_t> ReleaseOpen(GroupId group);
  void FreeSpent();  // so many of them
  bool AnySpent() const { return accounts_.contains(kSpent); }
  void Pin(HoldId id, bool pinned);
  // Of all its holds. True: there are some, and it was a greater one.
  bool SetPriority(GroupId group, int32_t priority);
  void PinAll(GroupId group);  // REQUIRES: it holds something
  // Of all holds of the group that are not pinned. InfiniteFuture: there are none any more.
  void SetEnd(GroupId group, HoldReason reason, absl::Time end);
  absl::Time EndOf(GroupId group) const { return ends_.Of(group); }
  HoldReason ReasonOf(GroupId group) const;  // REQUIRES: it holds something
  // Groups whose end has come, earliest first; it is cleared. The others later, once these have so
  // many holds together.
  std::vector<GroupId> TakeEnded(absl::Time now, size_t most);

  // Of nodes that somebody watches those that something has left, or that have changed, since they
  // were taken last; what reservations by name give back themselves does not count.
  void SetWatched(NodeIndex node, bool watched);
  bool AnyLeft() const { return !left_.empty(); }
  std::vector<NodeIndex> TakeLeft(size_t most);  // by index

  size_t held_node_count() const { return held_nodes_; }
  std::vector<NodeIndex> HeldNodes() const;  // by index
  bool HasHolds(NodeIndex node) const { return !HoldsOn(node).empty(); }
  int64_t hold_count() const { return hold_count_; }
  int64_t kept_count() const;  // of these, those that are kept (KeptFor); O(accounts)
  // The groups with a hold on the node, each once, by id.
  std::vector<GroupId> GroupsOn(NodeIndex node) const;
  // Groups with holds of which none is pinned, of a priority below: the least one first, then the
  // youngest; until visit(group) is false. The priority of a group is that of its first hold.
  template <typename Visit>
  void VisitBelow(int32_t priority, Visit visit) const {
    for (const auto& [own, group] : yielding_) {
      if (own >= priority || !visit(-group)) return;
    }
  }
  // Groups that keep spare nodes (SparesFor) by holds of a priority below, by id. O(such groups).
  std::vector<GroupId> SparingBelow(int32_t priority) const;
  // The group's holds, by slot.
  std::vector<HoldId> HoldsOf(GroupId group) const;
  size_t HoldCount(GroupId group) const;
  std::vector<NodeIndex> NodesOf(GroupId group) const;  // of its holds, by slot
  // The room of these groups, for a question that looks behind it.
  std::vector<PromisedRoom> RoomOf(const std::vector<GroupId>& groups) const;
  // Calls `ask` while what these groups hold is nobody's neighbour.
  template <typename Ask>
  void WithoutNeighbours(const std::vector<GroupId>& groups, Ask ask) {
    const bool any = !neighbours_.silent();
    if (any) SetNeighbours(groups, false);
    ask();
    if (any) SetNeighbours(groups, true);
  }

  // All holds of the group, out for a moment: until PutBack. REQUIRES: none is pinned.
  struct Lifted {
    int32_t slot = 0;
    NodeIndex node = kNoNode;
    ShapeId shape = -1;
    int32_t priority = 0;
    ProfileRef who;
    HoldReason reason = HoldReason::kGathering;
    absl::Time end;
  };
  std::vector<Lifted> Lift(GroupId group);
  // All of them, or none when one does not stand any more.
  bool PutBack(GroupId group, const std::vector<Lifted>& lifted);
  // There is such a hold, on this node, pinned or not.
  bool Has(HoldId id, NodeIndex node, bool pinned) const;

  // --- Room.
  // The holds on the node that give way to a pod of this priority.
  ResourceList Yielding(NodeIndex node, int32_t priority) const;
  // Of these nodes, which have holds, those where there is no room beside holds that do not give
  // way. Of what a node does not list nothing is asked: others serve it (DRA, a scheduler that
  // ignores it).
  std::vector<NodeIndex> KeptByHolds(std::span<const NodeIndex> nodes, const ResourceList& requests,
                                     int32_t priority) const;
  bool HasRoom(NodeIndex node, const ResourceList& requests, int32_t priority) const;
  // What of the requests the node has. A kubelet lists none of what a device plugin that is gone
  // had served, and others may serve that now.
  ResourceList Listed(NodeIndex node, const ResourceList& requests) const;
  // The same with this beside what is free: what yields there, and whatever else goes.
  bool HasRoomWith(NodeIndex node, const ResourceList& requests, const ResourceList& freed) const {
    return model_.HasRoom(node, Listed(node, requests), freed);
  }
  // The hold's node may be used by its shape and is not promised or used beyond what it has.
  bool Stands(HoldId id) const;
  std::vector<NodeIndex> LostNodes(GroupId group) const;  // where a hold of the group does not
  // The holds on the node that it can not keep are released: of the least priority first, then of
  // the youngest group, then of the highest slot. Pinned ones stay and are told apart.
  struct Shed {
    std::vector<HoldId> released;  // in this order
    std::vector<HoldId> pinned;    // can not be kept, but stay
  };
  Shed ShedNode(NodeIndex node);
  // Likewise, but none is kept: the node stands elsewhere now.
  Shed ShedAll(NodeIndex node);
  // Likewise of what is kept (IsKept): whoever keeps it finds out.
  void ShedKept(NodeIndex node);

  // What of the cluster these requests take: the greatest share of any resource, of several the
  // first by name.
  struct Share {
    int64_t millionths = 0;
    std::string_view resource = {};  // lives as long as the ledger; empty: nothing is taken
  };
  Share DominantOf(const ResourceList& requests) const;
  // The first of these of which there is nothing in the whole cluster, and nobody serves it there;
  // empty: there is none.
  std::string_view UnlistedOf(const ResourceList& requests) const;
  int64_t ShareOf(const ResourceList& requests) const { return DominantOf(requests).millionths; }

  std::string BrokenInvariant() const;

 private:
  struct HoldRecord {
    NodeIndex node = kNoNode;
    ShapeId shape = -1;
    int32_t priority = 0;
    Neighbours::StandId stand = -1;
    ProfileRef who = {};  // while it is nobody's neighbour
    bool pinned = false;
  };
  // What of a hold is asked of its node.
  struct NodeHold {
    GroupId group = 0;
    int32_t slot = 0;
    int32_t priority = 0;
    ShapeId shape = -1;
    bool pinned = false;
    friend bool operator==(const NodeHold&, const NodeHold&) = default;
    HoldId id() const { return {group, slot}; }
    bool Yields(int32_t asks) const {
      return !pinned && (asks > priority || asks >= kSystemPriority);
    }
  };
  using Holds = absl::btree_map<int32_t, HoldRecord>;  // by slot
  struct Account {
    Holds holds;
    int32_t pinned = 0;
    int32_t priority = 0;
    HoldReason reason = HoldReason::kGathering;
  };

  void NoteLeft(NodeIndex node) {
    if (static_cast<size_t>(node) < watched_.size() && watched_[static_cast<size_t>(node)])
      left_.insert(node);
  }
  void ForgetStand(std::string_view uid, bool for_a_moment);
  void SetNeighbours(const std::vector<GroupId>& groups, bool there);
  std::span<const NodeHold> HoldsOn(NodeIndex node) const {
    if (static_cast<size_t>(node) >= by_node_.size()) return {};
    return by_node_[static_cast<size_t>(node)];
  }
  const HoldRecord& At(HoldId id) const;
  NodeHold& OnNode(HoldId id, NodeIndex node);
  void SetPinned(HoldId id, HoldRecord& hold, bool pinned);
  void Detach(HoldId id, const HoldRecord& hold, bool for_a_moment);
  void Forget(std::map<GroupId, Account>::iterator account, int32_t slot, bool for_a_moment);
  void Spend(HoldId id, HoldRecord&& hold);
  void Close(std::map<GroupId, Account>::iterator account);
  void NoteYielding(GroupId group, const Account& account);
  bool NeighboursAllow(const std::vector<Lifted>& lifted) const;
  std::vector<HoldId> InOrderOfYielding(NodeIndex node) const;
  template <typename Keeps>
  Shed ShedWhere(NodeIndex node, Keeps keeps);
  void CountTotals(const NodeFacts* facts, int sign);

  const size_t at_once_;
  Model model_;
  Neighbours neighbours_;
  SteadyMap<Neighbours::StandId> pods_;  // that stand on nodes, by UID
  std::map<GroupId, Account> accounts_;
  std::set<std::pair<int32_t, GroupId>> yielding_;         // priority, group negated
  std::vector<absl::InlinedVector<NodeHold, 1>> by_node_;  // as far as some node had a hold
  size_t held_nodes_ = 0;
  std::vector<bool> watched_;  // by node, as far as some node was
  std::set<NodeIndex> left_;
  Timers<GroupId> ends_;
  std::map<std::string, int64_t, std::less<>> totals_;  // allocatable of the cluster, by resource
  int64_t hold_count_ = 0;
  int32_t next_spent_ = 0;  // grows while any is spent
};

}  // namespace gangplan
