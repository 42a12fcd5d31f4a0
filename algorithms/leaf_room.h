// How many pods of several pod sets fit on one node together: what the counts of each set alone
// cannot say. Implemented over the model; engines ask it for the leaves that they consider.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gangplan {

class LeafRoom {
 public:
  virtual ~LeafRoom() = default;
  // How many of `pod_set` fit on `leaf` beside taken[i] pods of each pod set i; with nothing taken
  // the leaf's count of that set. taken.size() is the number of pod sets. O(FitWork).
  virtual int32_t Fit(int32_t leaf, int32_t pod_set, std::span<const int32_t> taken) const = 0;
  // What that costs, in those of pod sets that ask for a few resources together.
  virtual int64_t FitWork() const { return 1; }
  // Lowers counts[leaf] to that, for every leaf. REQUIRES: they are not above the counts of the
  // set; nothing in `taken` is below 0.
  virtual void Limit(int32_t pod_set, std::span<const int32_t> taken,
                     std::span<int32_t> counts) const {
    for (size_t leaf = 0; leaf < counts.size(); ++leaf) {
      if (counts[leaf] == 0) continue;
      counts[leaf] = std::min(counts[leaf], Fit(static_cast<int32_t>(leaf), pod_set, taken));
    }
  }
};

}  // namespace gangplan
