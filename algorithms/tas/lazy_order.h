// A list in order as far as it was asked for: the next entries are sorted in growing chunks.
// O(rest + chunk log chunk) a chunk. Thread rule: one call at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gangplan::tas {

template <typename Entry, typename Before>
class LazyOrder {
 public:
  // Sorts `entries` in place. REQUIRES: `before` is a total order.
  LazyOrder(std::vector<Entry>& entries, Before before) : entries_(entries), before_(before) {}

  const Entry& operator[](size_t at) {
    while (at >= sorted_) SortMore();
    return entries_[at];
  }
  size_t size() const { return entries_.size(); }

 private:
  void SortMore() {
    auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(sorted_);
    auto end = begin + static_cast<std::ptrdiff_t>(std::min(chunk_, entries_.size() - sorted_));
    if (end != entries_.end()) std::nth_element(begin, end, entries_.end(), before_);
    std::sort(begin, end, before_);
    sorted_ = static_cast<size_t>(end - entries_.begin());
    chunk_ *= 4;
  }

  std::vector<Entry>& entries_;
  Before before_;
  size_t sorted_ = 0;
  size_t chunk_ = 32;
};

}  // namespace gangplan::tas
