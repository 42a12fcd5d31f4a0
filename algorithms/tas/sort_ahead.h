// Sorting only as far as a list is read. Pure function.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gangplan::tas {

// The first `sorted` entries are the least ones, in order: makes it so for `chunk` more. Returns
// how many are sorted then. O(rest + chunk log chunk).
template <typename Entry, typename Before>
size_t SortAhead(std::vector<Entry>& entries, size_t sorted, size_t chunk, Before before) {
  auto begin = entries.begin() + static_cast<std::ptrdiff_t>(sorted);
  auto end = begin + static_cast<std::ptrdiff_t>(std::min(chunk, entries.size() - sorted));
  if (end != entries.end()) std::nth_element(begin, end, entries.end(), before);
  std::sort(begin, end, before);
  return static_cast<size_t>(end - entries.begin());
}

}  // namespace gangplan::tas
