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

#include "extender/planner/solve_queue.h"

namespace gangplan {

class CopyLine {
 public:
  // It keeps its turn while it stands here. O(log n).
  void Mark(GroupId group, const std::string& ns, SolveRank rank, bool by_shares) {
    if (!by_shares) rank.share = TurnOf(group, ns);
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
    now_ = std::max(now_, known->second.number);
    EndTurn(group);
  }
  void Forget(GroupId group) {
    queue_.Forget(group);
    EndTurn(group);
  }

 private:
  struct Turn {
    std::string ns;
    int64_t number = 0;
  };
  struct Namespace {
    int64_t last = 0;     // the turn that it was given last
    int64_t waiting = 0;  // of those that have one
  };

  int64_t TurnOf(GroupId group, const std::string& ns) {
    const auto [known, fresh] = turns_.try_emplace(group, Turn{ns, 0});
    if (!fresh) return known->second.number;
    Namespace& all = namespaces_[ns];
    all.last = std::max(all.last, now_) + 1;
    ++all.waiting;
    return known->second.number = all.last;
  }
  void EndTurn(GroupId group) {
    const auto known = turns_.find(group);
    if (known == turns_.end()) return;
    const auto all = namespaces_.find(known->second.ns);
    if (--all->second.waiting == 0) namespaces_.erase(all);
    turns_.erase(known);
  }

  SolveQueue queue_{0};
  int64_t now_ = 0;  // the turn that was asked last
  std::map<GroupId, Turn> turns_;
  std::map<std::string, Namespace> namespaces_;
};

}  // namespace gangplan
