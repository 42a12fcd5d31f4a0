// Several pod sets with shapes of their own. The rules count all members together. The pods of all
// shapes but the most frequent one are few. Up to Loads::kMostPods of them are loads of one
// question (loads.h), which is answered exactly where its tables are within half of the steps.
// Else, and where there are more, a bound says where they go if it is met (crowd.h). Where it is
// not, they are put on leaves one by one, and the rest is one question of one shape beside them;
// leaves and domains that are alike (in room, and in all that stands inside) are tried once. There
// a bound, as if each leaf had its best mix, ends the search as soon as it is met, and proves that
// there is no placement when it has none; and some placements are made before the search
// (greedy.h), so that one is there when the steps end.
//
//   racks of nodes with 4 + 4 cores and with 4 + 4 + 1; two workers of 4 cores, a leader of one:
//   the leader is a load, and only the second rack holds all: he is on its last node, the best
//   4 leaders and 8 workers: a bound first, and the leaders one by one where it is not met
//
// Cost: one question; beyond Loads::kMostPods a solve for each way to put the few pods. Pure
// functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/engine.h"
#include "algorithms/exact/terms.h"

namespace gangplan::exact {

struct SetsAnswer {
  bool placed = false;
  bool best = false;                     // placed: no other is better
  std::optional<PlacementGap> gap = {};  // placed, and not known to be the best
  bool proven = false;                   // not placed: there is none; false: the steps ended
  // By pod set: the leaf of each member that does not stand yet, ascending.
  std::vector<std::vector<int32_t>> leaves;
  int32_t most = 0;  // not placed: the most members that have a placement, or a bound of it
  // Placed by AskInUnits where rules count ranks: who goes where.
  std::vector<PlacedMember> ranked = {};
};

// `counted`: the room of the members that stand is a part of the counts (the empty cluster).
SetsAnswer AskSets(const PlacementView& view, const PlacementRequest& request,
                   const std::vector<Terms>& terms, bool counted, int64_t& steps);

}  // namespace gangplan::exact
