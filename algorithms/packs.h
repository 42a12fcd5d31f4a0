// What hard and soft packs of a request ask: the rules that every engine knows. Pure functions.
#pragma once

#include <string_view>

#include "algorithms/request.h"
#include "topology/tree.h"

namespace gangplan {

// The first word of a rule that is no hard or soft pack; empty when there is none.
std::string_view WordBeyondPack(const LevelRule& rule);

// Hard and soft packs, and nothing else.
bool PlainPacks(const LevelRules& rules);

// Hard packs as our words mean them: one domain of the level in all, so one of each level above
// too, up to a level whose own rule asks for several (spread, partitions): then one in each of
// those.
void BindUpwards(LevelRules& rules);

// The deepest level with a hard rule, -1 for none.
int HardLevel(const PlacementRequest& request);

// The deepest of the levels from the top on that are hard packs: one domain of it holds all
// members; -1: not even the first is.
int HardFromTop(const PlacementRequest& request);

// One pod set by plain packs of which the hard ones bind from the top: one domain of HardLevel has
// to hold all members, or, without one, the whole tree.
bool AsksForOneDomain(const PlacementRequest& request);

// Members that are still to be placed. REQUIRES: one pod set.
int32_t MembersToPlace(const PlacementRequest& request);

// The domain of the hard level that the first standing member is in; -1 when there is no hard level
// or nobody stands.
int32_t BoundDomain(const Tree& tree, const PlacementRequest& request);

}  // namespace gangplan
