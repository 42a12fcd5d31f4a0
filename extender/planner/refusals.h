// Nodes that the scheduler would not take for the pods of a pod set, for reasons that the model
// does not know (volumes, affinity, devices), and until when that is believed. Apart from what is
// full: the counts of the empty cluster know nothing of refusals, so that nobody is told that a
// gang is impossible for a passing reason.
//
// One refusal is no proof. The scheduler may still count on the node what is not there any more: a
// pod whose call was answered a moment ago, a nomination that has moved. So a node is doubted at
// first, and believed to be of no use when it is refused once more a while later and nothing has
// left it in between, or when that has happened so often that it is no chance.
//
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/ledger.h"
#include "extender/planner/timers.h"

namespace gangplan {

class Refusals {
 public:
  // The node was refused. True: it is to be believed, and is doubted no more.
  bool Doubt(absl::Time now, GroupId group, int32_t pod_set, NodeIndex node);
  // What the scheduler may have counted on the node has left it. kNoNode: nothing has.
  void Disturb(NodeIndex node);
  // The scheduler's own words for it, where they are known, may be empty.
  void Learn(GroupId group, int32_t pod_set, NodeIndex node, absl::Time until,
             const std::string& text);
  // The scheduler has offered these nodes and no others, and not because it looked at a sample.
  // Returns which nodes may be refused then: those that were not in the last such list, either, a
  // while ago, and that nothing has left since. Nothing: this is the first such list, or one of the
  // two was cut: another extender comes before us, and the scheduler looked at a sample.
  class Others {
   public:
    bool Has(NodeIndex node) const;

   private:
    friend class Refusals;
    Others(const Refusals& of, uint64_t departures, std::set<NodeIndex> offered)
        : of_(of), departures_(departures), offered_(std::move(offered)) {}
    const Refusals& of_;
    const uint64_t departures_;
    std::set<NodeIndex> offered_;  // by either list
  };
  std::optional<Others> List(absl::Time now, GroupId group, int32_t pod_set,
                             std::set<NodeIndex> offered);
  // Of all nodes that are not offered at once: `refused` by node, in place of what was learned so
  // the last time.
  void LearnOthers(GroupId group, int32_t pod_set, std::vector<bool> refused, absl::Time until,
                   const std::string& text);
  // Ascending. Empty: none.
  std::vector<NodeIndex> Of(GroupId group, int32_t pod_set) const;
  bool Has(GroupId group, int32_t pod_set, NodeIndex node) const;
  // "refused by the scheduler on 3 nodes: TEXT"; empty when nothing is refused.
  std::string TextOf(GroupId group, int32_t pod_set) const;
  // Forgets what is not believed any more, and old doubts; the groups that may use more nodes now,
  // each once.
  std::vector<GroupId> Expire(absl::Time now);
  void ForgetNode(NodeIndex node);
  void ForgetGroup(GroupId group);
  size_t doubts() const { return doubted_.size(); }

 private:
  using Key = std::pair<GroupId, int32_t>;  // group, pod set
  using DoubtKey = std::tuple<GroupId, int32_t, NodeIndex>;
  struct Doubted {
    absl::Time since;
    uint64_t departures = 0;  // from anywhere, until then
    int times = 1;            // refused, a while apart
  };
  struct Refused {
    std::map<NodeIndex, absl::Time> until;
    std::vector<bool> others;  // by node
    absl::Time others_until = absl::InfinitePast();
    std::string text;  // of the last one that had one

    bool HasOther(NodeIndex node) const;
  };
  // What was offered at a time, by a list that was no sample.
  struct Listed {
    absl::Time since;
    uint64_t departures = 0;
    std::set<NodeIndex> offered;
  };

  bool HasLeftSince(NodeIndex node, uint64_t departures) const;
  bool IsCut(const Listed& before, const std::set<NodeIndex>& offered) const;
  void SweepDoubts(absl::Time now);

  std::map<DoubtKey, Doubted> doubted_;
  DoubtKey swept_ = {};                   // the last that was looked at for its age
  std::vector<uint64_t> last_departure_;  // by node
  uint64_t departures_ = 0;
  std::map<Key, Refused> refused_;
  std::map<Key, Listed> lists_;
  Timers<Key> first_end_;
};

}  // namespace gangplan
