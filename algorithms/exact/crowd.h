// A bound for a gang with more pods of other shapes than loads of one question may have, and where
// these pods go in a placement that meets it, if one does: all of it as if a domain took every
// count that its rule allows up to the most that it holds beside its load (crowd_room.h).
//
// The split of a level is not searched for: no split is better than one of which the first i counts
// are together what the i fullest siblings hold with the whole load for themselves (docs/exact.md,
// "Many minor pods"). Where it can be dealt out, the domains below are asked in turn; where it
// cannot, the bound has nothing for what is below.
//
//   racks of 128 workers, or 130 beside two others, and of 120: 200 members with two others are
//   130 and 70, and the two others are in the first rack
//
// Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/exact/shapes.h"
#include "algorithms/exact/terms.h"
#include "topology/tree.h"

namespace gangplan::exact {

struct CrowdAnswer {
  // By level: no placement costs less, as Solution::costs. Empty: nothing is known.
  std::vector<int64_t> bound;
  // The pods of all shapes but the main one, by leaf. Nothing: no place was found for them.
  std::optional<std::map<int32_t, Mix>> put;
};

// Nothing is known where members stand, where the pods have more than kMostCrowdLoads loads, where
// the first level asks for nothing, and where the steps do not pay for the rooms. Each deal and
// what is below it has a part of the steps that are left: what takes more costs nothing in the
// bound. Memory: 4 bytes for each leaf and load, twice, and kMostCrowdBytes.
inline constexpr int64_t kMostCrowdLoads = 32;
inline constexpr int64_t kMostCrowdBytes = int64_t{64} << 20;
CrowdAnswer AskCrowd(const Tree& tree, const Shapes& shapes, std::span<const Terms> terms,
                     int32_t members, int64_t& steps);

}  // namespace gangplan::exact
