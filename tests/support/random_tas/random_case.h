// Small random placement cases that use every feature: one to four levels with and without the host
// level, uneven trees, use, taints, selectors, affinity, every mode, slices, layers, groups,
// several pod sets, elastic jobs and repairs. Pure functions of the seed; any thread.
#pragma once

#include <cstdint>

#include "tests/conformance/placement_case.h"

namespace gangplan::random_tas {

conformance::PlacementCase RandomCase(uint64_t seed);

// The same case, its nodes, running pods and use in another order.
conformance::PlacementCase Shuffled(conformance::PlacementCase placement_case, uint64_t seed);

}  // namespace gangplan::random_tas
