#include "topology/fit_counts.h"

namespace gangplan {

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
