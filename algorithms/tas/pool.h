// A pool: the domains of one level that pods are cut over, as index ranges in path order, and what
// a cut gives them. Plain data and small helpers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/tas/state.h"

namespace gangplan::tas {

using Pool = std::span<const Tree::Range>;

// Pods, and perhaps the leader, that a domain takes. A list of these is ordered by index.
struct Taken {
  int32_t index = 0;
  int32_t pods = 0;
  int32_t leaders = 0;
  friend bool operator==(const Taken&, const Taken&) = default;
};
using TakenList = std::vector<Taken>;

// Orders what was taken from `first` on; what is in order already is looked at only.
inline void SortByIndex(TakenList& taken, size_t first) {
  auto begin = taken.begin() + static_cast<std::ptrdiff_t>(first);
  auto before = [](const Taken& a, const Taken& b) { return a.index < b.index; };
  if (!std::is_sorted(begin, taken.end(), before)) std::sort(begin, taken.end(), before);
}

inline int32_t PoolSize(Pool ranges) {
  int32_t size = 0;
  for (Tree::Range range : ranges) size += range.end - range.begin;
  return size;
}

template <typename Visit>
void ForEach(Pool ranges, Visit visit) {
  for (Tree::Range range : ranges) {
    for (int32_t i = range.begin; i < range.end; ++i) visit(i);
  }
}

// How a cut orders a pool and in what it counts (kueue's plain order: slices, then fewest pods,
// then path).
enum class PoolOrder {
  kSlices,           // by slices; counts slices
  kPods,             // below the slices' level: by pods, fewest first; counts pods / unit
  kSlicesCountPods,  // by slices; counts pods / unit (Kueue's balanced placement on its way down)
};

struct CutRequest {
  int32_t pods = 0;     // to place, in units; the last unit in part where they do not come out even
  int32_t leaders = 0;  // 0 or 1
  int32_t unit = 1;
  TasFill fill = TasFill::kLeastFree;
  PoolOrder order = PoolOrder::kSlices;

  int32_t units() const { return (pods + unit - 1) / unit; }
};

}  // namespace gangplan::tas
