// How many pods of several pod sets fit on one node together: what the counts of each set alone
// cannot say. Implemented over the model; engines ask it for the leaves that they consider.
#pragma once

#include <cstdint>
#include <span>

namespace gangplan {

class LeafRoom {
 public:
  virtual ~LeafRoom() = default;
  // How many of `pod_set` fit on `leaf` beside taken[i] pods of each pod set i; with nothing taken
  // the leaf's count of that set. taken.size() is the number of pod sets. O(demanded resources).
  virtual int32_t Fit(int32_t leaf, int32_t pod_set, std::span<const int32_t> taken) const = 0;
};

}  // namespace gangplan
