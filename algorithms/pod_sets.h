// One pod set of a request by itself. Pure functions.
#pragma once

#include <cstddef>

#include "algorithms/request.h"

namespace gangplan {

// The rules that hold for a pod set: its own, else those of the request, with kExact at each level
// by itself.
LevelRules RulesOf(const PlacementRequest& request, size_t pod_set);
// `own` where it says something, else `rules`, level by level; of the two a hard one.
LevelRules OwnOver(const LevelRules& own, LevelRules rules);

// With kExact, where the request has one pod set and no level is ruled twice, its own rules are
// those of all.
void JoinOwnRules(PlacementRequest& request);

// The pod set as a request of its own: its count, its rules, its standing members. What it shares
// with the others (a group, the room on a node) is not in it. O(standing members).
PlacementRequest OnlyPodSet(const PlacementRequest& request, size_t pod_set);

// The one of the most members, the first of these. REQUIRES: there is one.
size_t LargestPodSet(const PlacementRequest& request);

// The other pod set of its group; -1 for none. O(pod sets).
int32_t PartnerOf(const PlacementRequest& request, size_t pod_set);

}  // namespace gangplan
