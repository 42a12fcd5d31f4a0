// The members of one domain below the lowest level with an own rule: parts of one shape are the
// same there, and the rules of all are the only ones.
//
//   a rack of nodes for 3 and 4 pods; leaders (own: rack=pack!) and workers are of one shape; one
//   leader and 5 workers are 6 members, 2 on the first node and 4 on the second; the leader is one
//   of the first two: leaves 0: (1, 1), 1: (0, 4)
//
// Pure functions.
#pragma once

#include <cstdint>

#include "algorithms/exact/parts.h"

namespace gangplan::exact {

struct Inside {
  int level = -1;  // -1: the whole tree
  int32_t domain = 0;
  PartCounts members;  // in it, those that stand there included
};

struct InsideAnswer {
  bool placed = false;
  bool proven = false;   // it is the best, or there is none
  PartPlacement leaves;  // all members, each leaf counted from the first one of the domain
};

// `counted` as AskSets has it. REQUIRES: no part has an own rule below the level; all that stand in
// the domain are among the members.
InsideAnswer AskInside(const PlacementView& view, const PlacementRequest& request,
                       const Parts& parts, const Inside& inside, bool counted, int64_t& steps);

}  // namespace gangplan::exact
