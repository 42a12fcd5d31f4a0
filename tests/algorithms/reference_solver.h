// Slow, obvious answers to plain packs of one pod set, for comparison with the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "algorithms/request.h"
#include "tests/support/roll_up.h"
#include "topology/fit_counts.h"
#include "topology/tree.h"

namespace gangplan {

// Every way to put `members` on the leaves within their counts.
void ForEachPlacement(const PerLeaf& counts, int32_t members,
                      const std::function<void(const PerLeaf&)>& visit);

// What of a placement beside nobody decides first, ties included; the least is the best, and no two
// placements have the same. Nothing when it breaks a rule.
std::optional<std::vector<int64_t>> PackKey(const Tree& tree, const FitCounts& counts,
                                            const PlacementRequest& request,
                                            const PerLeaf& placement);

// The level that plain packs decide first, below one hard domain: the fewest domains of it that
// hold all, and then their largest sum of squares. Nothing when no hard domain holds all.
// `hard` -1: the whole tree is the domain. REQUIRES: hard is above the leaves.
struct BestLevel {
  int64_t domains = 0;
  int64_t squares = 0;
  friend bool operator==(const BestLevel&, const BestLevel&) = default;
};
std::optional<BestLevel> BestBelow(const Tree& tree, const FitCounts& counts, int hard,
                                   int32_t members);

// The same of a placement.
BestLevel LevelOf(const Tree& tree, int level, const PerLeaf& placement);

}  // namespace gangplan
