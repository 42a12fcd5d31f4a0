// Nodes that the scheduler would not take for the pods of a pod set, for reasons that the model
// does not know (volumes, affinity, devices), and until when that is believed. Apart from what is
// full: the counts of the empty cluster know nothing of refusals, so that nobody is told that a
// gang is impossible for a passing reason.
//
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/ledger.h"
#include "extender/planner/timers.h"

namespace gangplan {

class Refusals {
 public:
  // The scheduler's own words for it, where they are known, may be empty.
  void Learn(GroupId group, int32_t pod_set, NodeIndex node, absl::Time until,
             const std::string& text);
  // Ascending. Empty: none.
  std::vector<NodeIndex> Of(GroupId group, int32_t pod_set) const;
  bool Has(GroupId group, int32_t pod_set, NodeIndex node) const;
  // "refused by the scheduler on 3 nodes: TEXT"; empty when nothing is refused.
  std::string TextOf(GroupId group, int32_t pod_set) const;
  // Forgets what is not believed any more; the groups that may use more nodes now, each once.
  std::vector<GroupId> Expire(absl::Time now);
  void ForgetNode(NodeIndex node);
  void ForgetGroup(GroupId group);

 private:
  using Key = std::pair<GroupId, int32_t>;  // group, pod set
  struct Refused {
    std::map<NodeIndex, absl::Time> until;
    std::string text;  // of the last one that had one
  };

  std::map<Key, Refused> refused_;
  Timers<Key> first_end_;
};

}  // namespace gangplan
