// A request whose rules may count ranks, as questions of this engine: where its leader is missing
// one for each way that he may go (LeaderRoads), until one has a placement of which the leaves let
// units be kept. The placement is the best of those of its way.
//
//   node=pack ranks=2; a leader, rank 0, and workers 1 to 3, of whom 2 stands on n1: n1 has two at
//   least, as 3 goes there; first the leader is kept off n1, and worker 1 is beside him elsewhere;
//   where that has no placement he is on n1, which then has four at least
//
// Pure functions.
#pragma once

#include <cstdint>

#include "algorithms/engine.h"
#include "algorithms/exact/several.h"

namespace gangplan::exact {

// As AskSets, and who goes where when rules count ranks. A placement whose leaves do not let units
// be kept is none, and nothing is proven then.
SetsAnswer AskInUnits(const PlacementView& view, const PlacementRequest& request, bool counted,
                      int64_t& steps);

}  // namespace gangplan::exact
