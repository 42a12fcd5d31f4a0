// Nodes that are to be empty at a time (kMaintenanceWord on the node): no gang is placed there that
// may still run by then, and none of which nobody has told how long it runs. What stands there
// already stays, and so do plans that are made: whoever empties the node sees to that.
//
// Costs nothing where no node has the word, else what those cost that have it.
//
// Thread rule: the planner's.
#pragma once

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
    begins_.Set(node, facts.maintenance == 0 ? absl::InfiniteFuture()
                                             : absl::FromUnixSeconds(facts.maintenance));
  }
  void OnNodeDeleted(NodeIndex node) { begins_.Clear(node); }
  void Follow(absl::Time now) { now_ = now; }
  absl::Time now() const { return now_; }

  // Where it may not be placed now, in the order of their times.
  std::vector<NodeIndex> KeptFrom(const Group& group) const {
    return begins_.Before(EndOf(group, now_));
  }
  // On these the time of some comes before one that begins then, at the latest, has ended.
  bool Meets(const Group& group, absl::Time begins, const std::vector<NodeIndex>& nodes) const;
  // Of which somebody has told a time.
  std::vector<NodeIndex> All() const { return begins_.Before(absl::InfiniteFuture()); }
  // "maintenance keeps it off 3 nodes ..."; empty: off none of those that `may_use`.
  template <typename MayUse>
  std::string TextFor(const Group& group, MayUse may_use) const {
    std::vector<NodeIndex> nodes = KeptFrom(group);
    std::erase_if(nodes, [&](NodeIndex node) { return !may_use(node); });
    return nodes.empty() ? std::string() : Text(group, nodes);
  }

 private:
  // InfiniteFuture: nobody knows.
  absl::Time EndOf(const Group& group, absl::Time begins) const;
  std::string Text(const Group& group, const std::vector<NodeIndex>& nodes) const;

  absl::Duration patience_;
  absl::Time now_ = absl::UnixEpoch();
  Timers<NodeIndex> begins_;
};

}  // namespace gangplan
