// Counts of all levels from those of the leaves. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/fit_counts.h"
#include "topology/tree.h"

namespace gangplan {

using PerLeaf = std::vector<int32_t>;

inline FitCounts RollUpCounts(const Tree& tree, const PerLeaf& leaves) {
  FitCounts counts;
  for (int level = 0; level < tree.level_count(); ++level) {
    counts.levels.emplace_back(tree.size(level), 0);
    for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf)
      counts.levels[level][tree.Ancestor(leaf, level)] += leaves[leaf];
  }
  return counts;
}

}  // namespace gangplan
