// Sakkara's constraints as the rules of a topology's levels. Pure; any thread.
#pragma once

#include <string>

#include "algorithms/request.h"
#include "extender/protocol/sakkara_group.h"
#include "topology/tree.h"

namespace gangplan {

// One rule a level, by the level's name. Constraints of levels that the topology does not have are
// ignored, as in Sakkara. Numbers beyond 2^31 are as good as 2^31 - 1: no group has that many.
LevelRules SakkaraLevelRules(const SakkaraRules& rules, const Topology& topology);

// "rack=spread partitions=4; node=pack factor=2"; empty for soft packs everywhere.
std::string SakkaraPlaceText(const LevelRules& rules, const Topology& topology);

}  // namespace gangplan
