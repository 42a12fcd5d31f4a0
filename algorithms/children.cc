#include "algorithms/children.h"

#include <algorithm>

#include "topology/base/check.h"

namespace gangplan {
namespace {

// Moves the largest elements to the front, in order, until they add up to `need`; their number.
// Selects in growing chunks, so that a few of many cost no full sort. `larger` is a total order and
// `size` an element's size.
template <typename Element, typename Larger, typename Size>
size_t LargestFirst(std::vector<Element>& elements, int32_t need, Larger larger, Size size) {
  size_t sorted = 0;
  int64_t sum = 0;
  for (size_t chunk = 16; sorted < elements.size(); chunk *= 4) {
    auto begin = elements.begin() + static_cast<std::ptrdiff_t>(sorted);
    auto middle = begin + static_cast<std::ptrdiff_t>(std::min(chunk, elements.size() - sorted));
    if (middle != elements.end()) std::nth_element(begin, middle, elements.end(), larger);
    std::sort(begin, middle, larger);
    for (auto it = begin; it != middle; ++it) {
      ++sorted;
      sum += size(*it);
      if (sum >= need) return sorted;
    }
  }
  GANGPLAN_CHECK(sum >= need);
  return sorted;
}

}  // namespace

std::span<const int32_t> ChildCounts(const Tree& tree, const FitCounts& counts, int level,
                                     int32_t index) {
  Tree::Range range = tree.children(level, index);
  return counts.at(level + 1).subspan(range.begin, range.end - range.begin);
}

int32_t FewestChildren(std::span<const int32_t> counts, int32_t need) {
  std::vector<int32_t> sizes(counts.begin(), counts.end());
  return static_cast<int32_t>(
      LargestFirst(sizes, need, std::greater<>(), [](int32_t size) { return size; }));
}

int32_t FewestChildrenBound(std::span<const int32_t> counts, int32_t need) {
  int32_t largest = 1;
  for (int32_t count : counts) largest = std::max(largest, count);
  return (need - 1) / largest + 1;
}

std::vector<Share> FewestShares(std::span<const int32_t> counts, std::span<const int32_t> domains,
                                int32_t need) {
  std::vector<Share> shares;
  for (int32_t index : domains) shares.push_back({index, counts[index]});
  size_t used = LargestFirst(
      shares, need,
      [](const Share& a, const Share& b) {
        return a.members != b.members ? a.members > b.members : a.index < b.index;
      },
      [](const Share& share) { return share.members; });
  int32_t rest = need;
  for (size_t i = 0; i + 1 < used; ++i) rest -= shares[i].members;
  size_t tightest = used - 1;
  for (size_t i = used; i < shares.size(); ++i) {
    const Share& share = shares[i];
    const Share& best = shares[tightest];
    bool tighter =
        share.members < best.members || (share.members == best.members && share.index < best.index);
    if (share.members >= rest && tighter) tightest = i;
  }
  shares[used - 1] = {shares[tightest].index, rest};
  shares.resize(used);
  return shares;
}

}  // namespace gangplan
