// How many members of one shape fit, for every domain of every level: a leaf's count is the floor
// of free / demand over the demanded resources (0 when the node may not be used), a domain's count
// is the sum of its leaves. Plain values; the model owns and updates them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "topology/tree.h"

namespace gangplan {

// A leaf's count is capped here, so that sums over every node that a model may hold stay in int32.
inline constexpr int32_t kMaxLeafCount = 16'384;

using WideAmount = __int128;

// The nearest amount that int64 has.
inline int64_t Narrow(WideAmount amount) {
  using Limits = std::numeric_limits<int64_t>;
  return static_cast<int64_t>(
      std::clamp(amount, WideAmount{Limits::min()}, WideAmount{Limits::max()}));
}

// How often `amount` fits into `room`, `most` at most. REQUIRES: amount > 0, most <= kMaxLeafCount.
inline int32_t Fits(int64_t room, int64_t amount, int32_t most) {
  if (room >= WideAmount{amount} * most) return most;
  return room < amount ? 0 : static_cast<int32_t>(room / amount);
}

// Lowers counts[leaf] to how often `amount` fits into room[nodes[leaf]] without `taken`. REQUIRES:
// amount > 0, counts up to kMaxLeafCount, taken >= 0.
void LimitToRoom(std::span<const int64_t> room, std::span<const int32_t> nodes, int64_t amount,
                 WideAmount taken, std::span<int32_t> counts);

// The cluster as it is, or the empty one: no pods, no holds, passing states of nodes aside.
enum class CountKind { kNow, kEmpty };
inline constexpr CountKind kCountKinds[] = {CountKind::kNow, CountKind::kEmpty};

struct FitCounts {
  std::vector<std::vector<int32_t>> levels;  // [level][domain index]; the last level is the leaves

  std::span<const int32_t> at(int level) const { return levels[level]; }

  // Sums up the leaves, which are there. REQUIRES: as many levels as the tree. O(domains).
  void RollUp(const Tree& tree);
  // The leaf's count, and with it those of the domains that it is in. O(depth).
  void SetLeaf(const Tree& tree, int32_t leaf, int32_t count);
};

}  // namespace gangplan
