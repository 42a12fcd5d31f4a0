// The pack engine: one pod set, hard and soft pack at any level.
//
// A hard pack at a level puts all members into one domain of it. Below the deepest hard level soft
// packs prefer, in this order: one domain of the deepest level that can hold all; the tightest such
// domain; the one with the tightest parents; the first by path. Where no child can hold all, as few
// children as possible: the fullest first, and for the rest the tightest child that holds it.
// Standing members pull the others to their domains.
//
// Cost: O(domains of the levels looked at + leaves used); "cannot fit" costs one level.
#pragma once

#include "algorithms/engine.h"

namespace gangplan {

// What in `request` this engine does not do, for people; empty when it can.
std::string PackProblem(const Tree& tree, const PlacementRequest& request);

// kPlaced with members, kWait with deciding_level, or kInvalid; never kImpossible: that is judged
// by the caller on the empty cluster. REQUIRES: PackProblem is empty.
PlacementResult Pack(const PlacementView& view, const PlacementRequest& request);

// The deepest level with a hard rule, -1 for none.
int HardLevel(const PlacementRequest& request);

}  // namespace gangplan
