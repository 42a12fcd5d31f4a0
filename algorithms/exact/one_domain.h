// Members of several shapes that must share one domain: which domains are worth a look. A domain
// without room for the new members of one shape by itself has none for all of them together.
//
//   rack=pack!, and so above it; a leader and 8 workers; racks r0, r1 and r2 have room for 10, 9
//   and 8 workers, or for 0, 1 and 2 leaders: r2 and then r1 are worth a look; that all of them fit
//   there together is not known yet
//
// Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/exact/shapes.h"
#include "algorithms/exact/terms.h"
#include "topology/tree.h"

namespace gangplan::exact {

// The lowest level of which all members share one domain; -1: the whole tree.
int OneDomainLevel(std::span<const Terms> terms);

// The domains of that level with room for the new members of each shape by itself, the least room
// for the main shape first; of level -1 the whole tree is domain 0. None: there is no placement.
// O(domains * (shapes + log domains)).
std::vector<int32_t> HopefulDomains(const Tree& tree, const Shapes& shapes, int level);

// So many of the new members have a placement at most. O(domains * shapes).
int32_t MostInOneDomain(const Tree& tree, const Shapes& shapes, int level);

}  // namespace gangplan::exact
