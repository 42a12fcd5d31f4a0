// Which of some things are the same: found by a sum, then compared, so never wrongly.
//
//   racks of nodes of the kinds {0, 0, 3}, {3, 0, 0} and {0, 3, 3}: 0, 0 and 2
//
// Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/tree.h"

namespace gangplan::exact {

uint64_t Mixed(uint64_t x);

// For each domain of the level the first one with as many children of each kind, in any order;
// level -1 is the whole tree. `below` has the kinds of the children, numbers from 0 on; kinds as
// many as `kinds`. A domain may count as its own where it is the same as an earlier one (sums that
// agree by chance). O(children + kinds).
std::vector<int32_t> SameDomains(const Tree& tree, int level, std::span<const int32_t> below,
                                 size_t kinds);

// For each row of `width` numbers the first one that is equal; likewise. O(rows * width).
std::vector<int32_t> SameRows(std::span<const int32_t> rows, size_t width);

}  // namespace gangplan::exact
