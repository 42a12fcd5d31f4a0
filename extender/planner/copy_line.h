// Who is asked next on a copy of the model: by priority as in the SolveQueue, and of one priority
// the namespaces in turn, within one as its groups came to stand here. So who has a thousand
// questions does not have all others wait for as many: start-time fair queueing (Goyal et al.,
// 1996), each question for one. Where fair shares order the groups they do so here, too.
//
// Deterministic; thread rule: the planner's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "extender/planner/solve_queue.h"

namespace gangplan {

class CopyLine {
 public:
  // It keeps its turn while it stands here with that priority. O(log n).
  void Mark(GroupId group, const std::string& ns, SolveRank rank, bool by_shares) {
    if (!by_shares) rank.share = TurnOf(group, ns, {rank.priority, rank.object_priority});
    queue_.Mark(group, rank);
  }
  bool Waits(GroupId group) const { return queue_.Waits(group); }
  bool empty() const { return queue_.empty(); }
  // REQUIRES: some one waits. Its turn is over when it was asked, or is forgotten.
  GroupId Take() { return *queue_.Take(); }
  void Cut() { queue_.Cut(); }
  void Asked(GroupId group) {
    const auto known = turns_.find(group);
    if (known == turns_.end()) return;
    Lane& lane = lanes_.at(known->second.lane);
    lane.now = std::max(lane.now, known->second.number);
    EndTurn(group);
  }
  void Forget(GroupId group) {
    queue_.Forget(group);
    EndTurn(group);
  }

 private:
  using Priority = std::pair<int32_t, int32_t>;  // the group's, and its object's
  struct Turn {
    Priority lane;
    std::string ns;
    int64_t number = 0;
  };
  struct Namespace {
    int64_t last = 0;     // the turn that it was given last
    int64_t waiting = 0;  // of those that have one
  };
  struct Lane {
    int64_t now = 0;  // the turn that was asked last
    std::map<std::string, Namespace> namespaces;
  };

  int64_t TurnOf(GroupId group, const std::string& ns, Priority priority) {
    const auto known = turns_.find(group);
    if (known != turns_.end() && known->second.lane == priority) return known->second.number;
    EndTurn(group);
    Lane& lane = lanes_[priority];
    Namespace& all = lane.namespaces[ns];
    all.last = std::max(all.last, lane.now) + 1;
    ++all.waiting;
    turns_[group] = {priority, ns, all.last};
    return all.last;
  }
  void EndTurn(GroupId group) {
    const auto known = turns_.find(group);
    if (known == turns_.end()) return;
    const auto lane = lanes_.find(known->second.lane);
    const auto all = lane->second.namespaces.find(known->second.ns);
    if (--all->second.waiting == 0) lane->second.namespaces.erase(all);
    if (lane->second.namespaces.empty()) lanes_.erase(lane);
    turns_.erase(known);
  }

  SolveQueue queue_{0};
  std::map<GroupId, Turn> turns_;
  std::map<Priority, Lane> lanes_;  // those in which some wait
};

}  // namespace gangplan
