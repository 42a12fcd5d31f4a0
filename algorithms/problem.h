// What is wrong with a request, in words that a user can act on. Pure functions.
#pragma once

#include <string>

#include "algorithms/request.h"
#include "topology/tree.h"

namespace gangplan {

// What contradicts in `request`, or what the engine of its strategy does not do; empty when it can
// be placed.
std::string RequestProblem(const Tree& tree, const PlacementRequest& request);

}  // namespace gangplan
