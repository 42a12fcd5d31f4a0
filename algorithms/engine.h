// The way into placement: a pure function of counts, request and budget. No I/O, clock, threads,
// logging or randomness; safe from any thread as long as its inputs do not change meanwhile.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "algorithms/request.h"
#include "algorithms/result.h"

namespace gangplan {
class FitCounts;
class LeafRoom;
class Tree;

// What an engine sees of the cluster: the tree and, for each pod set, how many fit where.
struct PlacementView {
  const Tree* tree = nullptr;
  std::vector<const FitCounts*> counts;  // one per pod set, each as if it were alone
  const LeafRoom* room = nullptr;        // set where there are several pod sets
  // How much each leaf is preferred: one list a pod set, empty where all are the same; or no list.
  // Only `tas` looks at it.
  std::vector<std::span<const int64_t>> affinity = {};
};

// Places the request, or says why not. REQUIRES: one set of counts a pod set, one rule slot a
// level, leaves of standing members in the tree and their ranks unique. `empty` is asked for the
// empty cluster's counts only when the request does not fit now, to tell kWait from kImpossible.
// Only `exact` looks at the budget; `tas` ends within a few looks at each domain.
PlacementResult Place(const PlacementView& now, const std::function<PlacementView()>& empty,
                      const PlacementRequest& request, const Budget& budget);

// Per pod set and level of the tree, how near the request came; nothing for a request that is
// invalid. Made on demand, never with a verdict.
std::vector<LevelEvidence> Explain(const PlacementView& now, const PlacementView& empty,
                                   const PlacementRequest& request);

}  // namespace gangplan
