// What our own words mean to the engines. Pure functions.
#pragma once

#include <string_view>

#include "algorithms/request.h"

namespace gangplan {

// The first word of a rule that is no hard or soft pack; empty when there is none.
std::string_view WordBeyondPack(const LevelRule& rule);

// Hard and soft packs, and nothing else: what every engine knows.
bool PlainPacks(const LevelRules& rules);

// Hard packs as our words mean them: one domain of the level in all, so one of each level above
// too, up to a level whose own rule asks for several (spread, partitions): then one in each of
// those.
void BindUpwards(LevelRules& rules);

}  // namespace gangplan
