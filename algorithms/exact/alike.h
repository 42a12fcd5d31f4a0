// Leaves that differ in what can be put on them.
//
//   racks of n0, n1 and of n2, n3, all with the same room: one sign, and n0 stands for all of them;
//   with a leader put on n0 three are different: n0, n1 beside it, and n2 in the other rack
//
// Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "algorithms/exact/shapes.h"
#include "topology/tree.h"

namespace gangplan::exact {

// A number for each leaf, the same for leaves that differ in nothing that a placement could tell.
// Leaves with more mixes than Shapes looks at are each of their own. O(leaves * mixes); `steps`
// pays for it, and not all leaves have a number when they end.
std::vector<int32_t> LeafSigns(const Tree& tree, const Shapes& shapes, int64_t& steps);

// One leaf of each kind: two are of one kind when exchanging them, or domains above them, changes
// nothing, with pods put on some of them already. A leaf with a hint stands for its kind if there
// is one, and such leaves come first; else by path. O(leaves).
std::vector<int32_t> DifferentLeaves(const Tree& tree, const std::vector<int32_t>& leaf_signs,
                                     const std::map<int32_t, Mix>& put,
                                     const std::vector<char>& hint);

}  // namespace gangplan::exact
