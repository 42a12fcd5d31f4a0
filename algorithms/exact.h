// The `exact` engine: every rule of a request at any number of levels in any mix (pack, spread or
// no choice; hard or soft; partitions, min, max, factor). A placement that keeps the rules is found
// whenever one exists, and the answer is the best of all, level by level from the top:
//
//   pack    the fewest used domains, then the largest sum of their squared members
//   spread  the smallest sum of squared members
//   any     nothing
//
// Ties are broken as exact/solver.h says. docs/placement-rules.md has every word with an example.
//
// Invariants: members that stand count in every rule; counts are never exceeded; the answer depends
// on the arguments alone. When the budget ends, a placement that keeps the rules is still given if
// one was found, with how far it may be from the best; else the outcome is kWait and not decided,
// never kImpossible.
// Cost: a pass over the domains that rules bound, and then those that can be part of a best answer:
// see exact/field.h and exact/solver.h. Thread rule: pure functions.
#pragma once

#include <functional>
#include <string>

#include "algorithms/engine.h"

namespace gangplan {

// What contradicts in `request` on any cluster, with the rule and its level; empty when nothing
// does. REQUIRES: counts of members above 0, and standing members within them.
std::string ExactProblem(const Tree& tree, const PlacementRequest& request);

// REQUIRES: ExactProblem is empty, and what Place requires but for the least budget.
PlacementResult PlaceByExact(const PlacementView& now, const std::function<PlacementView()>& empty,
                             const PlacementRequest& request, const Budget& budget);

}  // namespace gangplan
