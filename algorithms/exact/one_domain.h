// Members of several shapes that must share one domain: which domains are worth a look. A domain
// without room for the new members of one shape by itself has none for all of them together.
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
