#include "topology/fit_counts.h"

#include <numeric>

namespace gangplan {

void FitCounts::RollUp(const Tree& tree) {
  for (int level = tree.leaf_level(); level > 0; --level) {
    const std::vector<int32_t>& below = levels[level];
    std::vector<int32_t>& above = levels[level - 1];
    above.resize(tree.size(level - 1));
    for (int32_t i = 0; i < tree.size(level - 1); ++i) {
      const Tree::Range parts = tree.children(level - 1, i);
      above[i] = std::accumulate(below.begin() + parts.begin, below.begin() + parts.end, 0);
    }
  }
}

void FitCounts::SetLeaf(const Tree& tree, int32_t leaf, int32_t count) {
  const int32_t delta = count - levels.back()[leaf];
  if (delta == 0) return;
  int32_t domain = leaf;
  for (int level = tree.leaf_level(); level >= 0; --level) {
    levels[level][domain] += delta;
    domain = tree.parent(level, domain);
  }
}

}  // namespace gangplan
