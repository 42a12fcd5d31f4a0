#include "topology/fit_counts.h"

#include <numeric>

namespace gangplan {

void LimitToRoom(std::span<const int64_t> room, std::span<const int32_t> nodes, int64_t amount,
                 WideAmount taken, std::span<int32_t> counts) {
  const int64_t gone = Narrow(taken);
  for (size_t leaf = 0; leaf < counts.size(); ++leaf) {
    if (counts[leaf] == 0) continue;
    const int64_t all = room[static_cast<size_t>(nodes[leaf])];
    const int64_t left = all < gone ? 0 : all - gone;
    // One less is the usual answer, and a product is cheaper than a quotient.
    const bool one_less = left < WideAmount{amount} * counts[leaf] &&
                          left >= WideAmount{amount} * (counts[leaf] - 1);
    counts[leaf] = one_less ? counts[leaf] - 1 : Fits(left, amount, counts[leaf]);
  }
}

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
