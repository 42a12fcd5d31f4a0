// Slow, obvious answers to pack requests of one pod set, for comparison with the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tests/support/roll_up.h"
#include "topology/fit_counts.h"
#include "topology/tree.h"

namespace gangplan {

// Members per leaf by the order of preference in algorithms/README.md, without standing members;
// nothing when no placement exists. `hard_level` -1: none.
std::optional<PerLeaf> ReferencePlacement(const Tree& tree, const FitCounts& counts, int hard_level,
                                          int32_t members);

// Every way to put `members` on the leaves within their counts.
void ForEachPlacement(const PerLeaf& counts, int32_t members,
                      const std::function<void(const PerLeaf&)>& visit);

// What of a placement decides first; the least is the best: how far above the leaves one domain
// holds all, the domains of the next level in use, the room of that domain, of its parent and so on
// up, its index. Nothing when it breaks the hard level.
std::optional<std::vector<int64_t>> PlacementKey(const Tree& tree, const FitCounts& counts,
                                                 int hard_level, const PerLeaf& placement);

// The domains of `level` in use, ascending.
std::vector<int32_t> UsedDomains(const Tree& tree, int level, const PerLeaf& placement);

}  // namespace gangplan
