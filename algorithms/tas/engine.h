// The `tas` engine's way in from the general request: pod sets with rules per level, and members
// that stand. See algorithms/engine.h for the contract of the answer.
//
// How rules become Kueue's words: the deepest hard pack is `required`; without one, the deepest
// soft pack that was asked for is `preferred`; no rule at all is `unconstrained`; factor S at a
// level is a layer of slices of S there. Thread rule: pure functions.
#pragma once

#include <functional>
#include <string>

#include "algorithms/engine.h"

namespace gangplan {

// What contradicts in a request of one pod set, or what Kueue has no word for; empty when it can be
// placed.
std::string TasProblem(const Tree& tree, const PlacementRequest& request);

// REQUIRES: TasProblem of each pod set is empty, and what Place requires.
PlacementResult PlaceByTas(const PlacementView& now, const std::function<PlacementView()>& empty,
                           const PlacementRequest& request);

}  // namespace gangplan
