// Which engine answers a request in our own words. Pure functions.
#pragma once

#include "algorithms/request.h"

namespace gangplan {

// Whether the pack engine has an answer: one pod set, hard and soft pack alone.
bool PackAnswers(const PlacementRequest& request);

// Our own words: `pack` where it has an answer, else `exact`, with hard packs as our words mean
// them: one domain of the level in all, so one of each level above too, up to a level whose own
// rule asks for several (spread, partitions): then one in each of those.
void ChooseEngine(PlacementRequest& request);

}  // namespace gangplan
