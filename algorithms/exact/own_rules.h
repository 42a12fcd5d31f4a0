// Pod sets with rules of their own (PodSetRequest::rules) beside those of all: the whole gang keeps
// the one, each such set by itself the other.
//
//   block=pack!; leader: node=max 1; workers: rack=pack!      all in one block, the workers in one
//                                                             of its racks, the leaders apart
//
// The goal is compared level by level from the top: first the rule of all where it is told, then
// each set's own, then the soft pack of all where nothing is told. A bound of that are the best of
// all members without own rules, and of each set by its own alone; a placement that meets it ends
// the search. Some are made fast (part_tries.h); then all are looked at, as far as the steps go
// (part_table.h). Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/exact/several.h"

namespace gangplan::exact {

// A pod set has rules of its own.
bool HasOwnRules(const PlacementRequest& request);

// The request without them.
PlacementRequest WithoutOwnRules(const PlacementRequest& request);

// What contradicts in a pod set's own rules, or is not to be had beside them; empty: nothing.
std::string OwnRulesProblem(const Tree& tree, const PlacementRequest& request);

// As AskSets. REQUIRES: HasOwnRules, no OwnRulesProblem.
SetsAnswer AskWithOwnRules(const PlacementView& view, const PlacementRequest& request,
                           const std::vector<Terms>& terms, bool counted, int64_t& steps);

}  // namespace gangplan::exact
