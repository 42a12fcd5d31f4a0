// From leaves to ranked members. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/request.h"
#include "algorithms/result.h"

namespace gangplan {

// The members of a pod set to place on `leaves`, one a leaf in depth-first order: the lowest rank
// that no standing member has takes the first leaf, and so on. REQUIRES: the ranks that stand are
// unique.
std::vector<PlacedMember> RankMembers(const PlacementRequest& request, int32_t pod_set,
                                      const std::vector<int32_t>& leaves);

}  // namespace gangplan
