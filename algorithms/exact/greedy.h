// A first placement of the few pods of a mixed request: where each may go by the look of a
// placement that counts all members alike. Not the best, and the rules are not looked at: the rest
// of the request, asked beside them, keeps the rules or says that they cannot be kept.
//
//   target: 3 members on n0, 2 on n1; pods to put: 2 of shape L, the others are W
//   n0 holds 3 W, or L and 2 W; n1 holds 2 W, or L and W; n2 holds L alone
//   by loss: L on n0 and on n1, where the target is still kept
//
// Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "algorithms/exact/shapes.h"
#include "algorithms/exact/solver.h"
#include "topology/tree.h"

namespace gangplan::exact {

enum class GreedyOrder {
  kByLoss,  // where the target loses least, then in the domains of the target
  kInside,  // in the domains of the target, then where it loses least
};

// The new pods of all shapes but the main one, by leaf, on leaves of `within`. Nothing: some pod
// fits nowhere beside the others. O(leaves * log leaves + pods) a shape; `steps` pays for it.
std::optional<std::map<int32_t, Mix>> PutGreedily(const Tree& tree, const Shapes& shapes,
                                                  std::span<const LeafMembers> target,
                                                  GreedyOrder order, Tree::Range within,
                                                  int64_t& steps);

}  // namespace gangplan::exact
