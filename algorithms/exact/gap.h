// How far a placement that is not proven may be from the best.
//
//   racks of nodes for 2 + 2, 2 + 2 and 4 + 2 members; 4 of them, soft packs: nothing is better
//   than one rack with 4 and one node with 4; 2 and 2 in the first rack have their gap at the
//   nodes, two domains and squares of 8, where the bound is one and 16
//
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/exact/field.h"
#include "algorithms/result.h"

namespace gangplan::exact {

// By level, what no placement goes below: the best split over all domains of the level, whatever
// their parents. Of the first level it is the best there is. O(domains * log domains).
std::vector<int64_t> LevelBounds(const Field& field);

// At the first level where a placement costs more than the bound; nothing: it is the best. Both as
// Solution::costs.
std::optional<PlacementGap> GapOf(const std::vector<Terms>& terms, std::span<const int64_t> costs,
                                  std::span<const int64_t> bounds);

}  // namespace gangplan::exact
