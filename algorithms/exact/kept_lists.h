// Lists that are made one after another and stay where they are, so that views of them hold, until
// all of them go: copies, in blocks that double. With many short lists that is a few allocations
// instead of one each.
//
//   lists of 100, 20 and 10 numbers: the first block has room for 128 and holds the first two, the
//   second has room for 256 and holds the third
//
// Thread rule: one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace gangplan::exact {

template <typename T>
class KeptLists {
 public:
  std::span<const T> Keep(std::span<const T> list) {
    if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < list.size()) {
      next_ = std::max(2 * next_, list.size());
      blocks_.emplace_back().reserve(next_);
    }
    std::vector<T>& block = blocks_.back();
    const size_t begin = block.size();
    block.insert(block.end(), list.begin(), list.end());
    return std::span<const T>(block).subspan(begin);
  }

 private:
  std::vector<std::vector<T>> blocks_;
  size_t next_ = 64;  // the length of the last block
};

}  // namespace gangplan::exact
