// The pack engine: one pod set, hard and soft pack at any level.
//
// In: the tree, fit counts of the pod set's shape, a request. Out: a leaf for each member that does
// not stand yet. The idea: the deepest hard level says which domains are allowed; among them the
// deepest level at which one domain holds all is looked for from the top down, and below it members
// are split over as few children as possible. README.md has the order of preference and an example.
//
// Invariants: hard levels are kept; a placement is found whenever one exists; members per leaf are
// within its count; every choice is a total order that ends with the path.
// Cost: linear. A domain is looked at once as a child of a domain that holds all, once for the
// number of children that its parent needs and once when its parent is split, and a split goes on
// inside its parts only, which are disjoint: at most four looks each. "Cannot fit" reads one
// level.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "algorithms/request.h"
#include "topology/fit_counts.h"
#include "topology/tree.h"

namespace gangplan {

// The first word of a rule that this engine does not know; empty when there is none.
std::string_view WordBeyondPack(const LevelRule& rule);

// The deepest level with a hard rule, -1 for none.
int HardLevel(const PlacementRequest& request);

// Members that are still to be placed.
int32_t MembersToPlace(const PlacementRequest& request);

// The domain of the hard level that the standing members bind the request to; -1 when there is no
// hard level or nobody stands. REQUIRES: RequestProblem is empty.
int32_t BoundDomain(const Tree& tree, const PlacementRequest& request);

// The room that decides: of the bound domain, else of the hard level's largest domain, else of the
// whole tree. O(domains of one level).
int64_t DecidingRoom(const Tree& tree, const FitCounts& counts, const PlacementRequest& request);

// The leaf of each member to place, in depth-first order.
// REQUIRES: RequestProblem is empty, and DecidingRoom is MembersToPlace or more.
std::vector<int32_t> Pack(const Tree& tree, const FitCounts& counts,
                          const PlacementRequest& request);

}  // namespace gangplan
