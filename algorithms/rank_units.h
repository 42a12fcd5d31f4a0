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
#include <utility>
#include <vector>

#include "algorithms/request.h"
#include "algorithms/result.h"
#include "topology/tree.h"

namespace gangplan {

// A rule of these counts ranks.
bool CountsRanks(const LevelRules& rules);

// Why no placement keeps the units: pod sets that cannot be parts of one row of ranks (two at the
// most, and the first one a leader of one pod), one unit that stands in two domains, or one of
// which nobody stands and only some are to be placed: where they go the rest might not follow.
// Of a unit that stands some may be missing for good. Empty: nothing. O(members x levels).
std::string UnitProblem(const Tree& tree, const PlacementRequest& request);

// What a domain where units stand has at least in the end: all members of these, those that stand
// and those that are to be placed.
struct UnitFloor {
  int32_t domain = 0;
  int32_t least = 0;
  friend bool operator==(const UnitFloor&, const UnitFloor&) = default;
};
// By domain; empty where the rule of the level does not count ranks. O(members log members).
std::vector<UnitFloor> UnitFloors(const Tree& tree, const PlacementRequest& request, int level);

// One way for a leader who is missing, the first of several pod sets.
struct LeaderRoad {
  std::vector<int32_t> left;  // leaves that he leaves to others, ascending
  // By level: how many more a domain has at least where he begins his unit beside others.
  std::vector<std::pair<int, UnitFloor>> more;
};
// The ways to try, one after the other: to where others of his units stand; where nobody of a unit
// does, off the domains in which other units lack members, and at last into each of those, so many
// at most. One that leaves nothing to others where no leader is missing. O(members log members +
// ways x leaves).
inline constexpr size_t kMostLeaderRoads = 32;
std::vector<LeaderRoad> LeaderRoads(const Tree& tree, const PlacementRequest& request);

// The members to place on these leaves (by pod set, ascending), by pod set and rank, so that units
// are kept. Nothing: these leaves do not allow it. O(members log members x levels).
// REQUIRES: no UnitProblem, ranks from 0 to below the number of members when all are there.
std::vector<PlacedMember> RankInUnits(const Tree& tree, const PlacementRequest& request,
                                      const std::vector<std::vector<int32_t>>& leaves);

}  // namespace gangplan
