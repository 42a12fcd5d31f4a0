// How many of each value are still to be dealt out, as one number: the states of a table over those
// who take them. Of the last value that is known from the others.
//
//   9 once, 8 twice, 0 three times: state 5 (of 0 to 5) has all left; after one that takes 8 it is
//   3, and after one that takes 0 still 3; five others fit state 3, with 9, 8 and three times 0,
//   and six do not
//
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/exact/split.h"

namespace gangplan::exact {

class DealStates {
 public:
  explicit DealStates(std::span<const Run> values) : values_(values) {
    for (size_t v = 0; v + 1 < values.size(); ++v) {
      stride_.push_back(count_);
      count_ = std::min(count_ * (static_cast<size_t>(values[v].count) + 1), kMany);
    }
  }
  // As many as this are too many.
  static constexpr size_t kMany = size_t{1} << 40;
  size_t count() const { return count_; }
  // Sets the states out. REQUIRED before what follows; O(count * values).
  void Build() {
    left_.assign(count_ * stride_.size(), 0);
    in_all_.assign(count_, 0);
    for (size_t v = 0; v < stride_.size(); ++v) {
      const auto many = static_cast<size_t>(values_[v].count) + 1;
      for (size_t state = 0; state < count_; ++state) {
        const auto left = static_cast<uint32_t>(state / stride_[v] % many);
        left_[state * stride_.size() + v] = left;
        in_all_[state] += left;
      }
    }
  }
  // Whether `items` can take what is left, the last value included.
  bool Fits(size_t state, size_t items) const {
    const size_t left = in_all_[state];
    return left <= items && items - left <= static_cast<size_t>(values_.back().count);
  }
  bool Can(size_t state, size_t v) const {
    return v == stride_.size() || left_[state * stride_.size() + v] > 0;
  }
  size_t After(size_t state, size_t v) const {
    return v == stride_.size() ? state : state - stride_[v];
  }

 private:
  std::span<const Run> values_;
  std::vector<size_t> stride_;
  size_t count_ = 1;
  std::vector<uint32_t> left_;    // [state][value]
  std::vector<uint32_t> in_all_;  // [state]
};

}  // namespace gangplan::exact
