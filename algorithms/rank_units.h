// Rules that count ranks (LevelRule::ranked): each `factor` consecutive ranks, counted from 0 over
// all pod sets, are a unit and stand in one domain of the level. What they ask beside the factor
// itself: where members stand already, and which member goes where once it is known how many go.
//
//   node=pack ranks=2; rack=pack ranks=4    n1: 0 1   n2: 2 3   rack-1
//                                           n3: 4 5   n4: 6 7   rack-2
//
// Units of a level are parts of those above it, so factors grow by whole numbers from the leaves
// up. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/request.h"
#include "algorithms/result.h"
#include "topology/tree.h"

namespace gangplan {

// A rule of these counts ranks.
bool CountsRanks(const LevelRules& rules);

// Why no placement keeps the units: pod sets that cannot be parts of one row of ranks (two at the
// most, and the first one a leader of one pod), or one unit that stands in two domains. Empty:
// nothing. O(standing members x levels).
std::string UnitProblem(const Tree& tree, const PlacementRequest& request);

// What a domain where units stand has at least in the end: all members of these.
struct UnitFloor {
  int32_t domain = 0;
  int32_t least = 0;
  friend bool operator==(const UnitFloor&, const UnitFloor&) = default;
};
// By domain; empty where the rule of the level does not count ranks. O(standing members).
std::vector<UnitFloor> UnitFloors(const Tree& tree, const PlacementRequest& request, int level);

// Leaves, ascending, that a leader who is missing leaves to others: those outside of what stands of
// its units, and, where nobody of its unit stands, those of domains where a unit lacks members.
// Empty unless the first of several pod sets is such a leader. O(leaves + standing members).
std::vector<int32_t> LeftByLeader(const Tree& tree, const PlacementRequest& request);

// The members to place on these leaves (by pod set, ascending), by pod set and rank, so that units
// are kept. Nothing: these leaves do not allow it. O(members log members x levels).
// REQUIRES: no UnitProblem, ranks from 0 to below the number of members when all are there.
std::vector<PlacedMember> RankInUnits(const Tree& tree, const PlacementRequest& request,
                                      const std::vector<std::vector<int32_t>>& leaves);

}  // namespace gangplan
