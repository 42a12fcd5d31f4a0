// Placements of parts that are found fast: each part after the other is placed at its best beside
// those before it, by its own rules or by what it makes of all together, in some orders and in some
// of the domains that all must share. None of them is proven to be the best, and none being found
// says nothing.
//
//   a rack of two nodes for 3 pods each; 2 leaders (own: node=pack max=1), 3 workers: the leaders
//   first, as they have a rule, one on each node; then the workers by the rules of all beside them:
//   nodes of 3 and 2 pods, and no placement of 5 is better, so nothing else is tried
//
// Pure functions.
//
// Cost: a question a part and try, O(leaves) each.
#pragma once

#include <cstdint>
#include <optional>

#include "algorithms/exact/part_costs.h"

namespace gangplan::exact {

struct PartTry {
  PartPlacement placed;
  PartCostList costs;
};

// The best of the tries that keep all rules; `bound` ends them where it is met, as `steps` do.
std::optional<PartTry> TryParts(const Tree& tree, const Parts& parts, const PartCosts& costs,
                                const std::vector<Terms>& terms, const PartCostList& bound,
                                int64_t& steps);

}  // namespace gangplan::exact
