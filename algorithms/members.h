// From leaves to ranked members, and how many there are in words. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/request.h"
#include "algorithms/result.h"

namespace gangplan {

// Ranks of the members of a pod set to place, ascending: those that it names, else the lowest that
// no standing member of the set has. REQUIRES: the ranks that stand are unique per pod set.
std::vector<int32_t> MissingRanks(const PlacementRequest& request, int32_t pod_set);

// The request with so many members of the pod set: of those to place the lowest ranks stay.
// REQUIRES: no fewer than stand.
PlacementRequest WithMembers(PlacementRequest request, size_t set, int32_t members);

// Adds the members of a pod set to place on `leaves`, one a leaf in depth-first order, in the order
// of their ranks. REQUIRES: as above.
void RankMembers(const PlacementRequest& request, int32_t pod_set,
                 const std::vector<int32_t>& leaves, std::vector<PlacedMember>& members);

// "64 members", "1 member"
std::string MembersText(int32_t count);

}  // namespace gangplan
