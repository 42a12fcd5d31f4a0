// A request whose rules may count ranks, as questions of this engine: where its leader is missing
// one for each way that he may go (LeaderRoads), until one has a placement; and who goes to which
// of its leaves. The placement is the best of those of its way. Pure functions.
#pragma once

#include <cstdint>

#include "algorithms/engine.h"
#include "algorithms/exact/several.h"

namespace gangplan::exact {

// As AskSets. A placement whose leaves do not let units be kept is none, and nothing is proven
// then.
SetsAnswer AskInUnits(const PlacementView& view, const PlacementRequest& request, bool counted,
                      int64_t& steps);

}  // namespace gangplan::exact
