// Nodes that are to be empty at a time (kMaintenanceWord on the node): no gang is placed there that
// may still run by then, and none of which nobody has told how long it runs. What stands there
// already stays, and so do plans that are made: whoever empties the node sees to that.
//
// Costs nothing where no node has the word. Else a question whom it keeps off costs O(log nodes
// that have it) and those; the first one after a node's word was changed all that have it.
//
// Thread rule: the planner's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/group.h"
#include "extender/planner/timers.h"
#include "topology/model.h"
#include "topology/node_facts.h"

namespace gangplan {

class Maintenance {
 public:
  // `patience`: how long room is held for a gang that has not begun (gang.gatherTimeout).
  explicit Maintenance(absl::Duration patience) : patience_(patience) {}

  void SetPatience(absl::Duration patience) { patience_ = patience; }
  void OnNode(NodeIndex node, const NodeFacts& facts) {
    Set(node,
        facts.maintenance == 0 ? absl::InfiniteFuture() : absl::FromUnixSeconds(facts.maintenance));
  }
  void OnNodeDeleted(NodeIndex node) { Set(node, absl::InfiniteFuture()); }
  void Follow(absl::Time now) { now_ = now; }
  absl::Time now() const { return now_; }
  bool any() const { return !begins_.empty(); }  // some node has the word

  // Where it may not be placed now, in the order of their times; until a node's word is changed.
  std::span<const NodeIndex> KeptFrom(const Group& group) const { return KeptFrom(group, now_); }
  // Likewise where it gets its room at that time; InfiniteFuture: nobody knows when that is, so
  // that all nodes are in question that have the word.
  std::span<const NodeIndex> KeptFrom(const Group& group, absl::Time begins) const {
    return Before(EndOf(group, begins));
  }
  // It would be kept off fewer nodes if somebody told how long it runs.
  bool WantsRuntime(const Group& group) const;
  // On these the time of some comes before one that begins then, at the latest, has ended.
  bool Meets(const Group& group, absl::Time begins, const std::vector<NodeIndex>& nodes) const;
  // "maintenance keeps it off 3 nodes ..."; empty: off none of those that `may_use`.
  template <typename MayUse>
  std::string TextFor(const Group& group, MayUse may_use) const {
    std::vector<NodeIndex> nodes;
    for (const NodeIndex node : KeptFrom(group))
      if (may_use(node)) nodes.push_back(node);
    return nodes.empty() ? std::string() : Text(group, nodes);
  }

 private:
  void Set(NodeIndex node, absl::Time begins) {
    if (begins_.Of(node) == begins) return;
    begins_.Set(node, begins);
    listed_ = false;
  }
  std::span<const NodeIndex> Before(absl::Time end) const;
  // InfiniteFuture: nobody knows.
  absl::Time EndOf(const Group& group, absl::Time begins) const;
  std::string Text(const Group& group, const std::vector<NodeIndex>& nodes) const;

  absl::Duration patience_;
  absl::Time now_ = absl::UnixEpoch();
  Timers<NodeIndex> begins_;
  // What `begins_` says, in its order, made when it is asked for.
  mutable bool listed_ = false;
  mutable std::vector<NodeIndex> nodes_;
  mutable std::vector<absl::Time> times_;
};

}  // namespace gangplan
