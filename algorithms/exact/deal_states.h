// How many of each value are still to be dealt out, as one number: the states of a table over those
// who take them. Of the last value that is known from the others.
#pragma once

#include <algorithm>
#include <cstddef>
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
  size_t Left(size_t state, size_t v) const {
    return state / stride_[v] % (static_cast<size_t>(values_[v].count) + 1);
  }
  // Whether `items` can take what is left, the last value included.
  bool Fits(size_t state, size_t items) const {
    size_t left = 0;
    for (size_t v = 0; v < stride_.size(); ++v) left += Left(state, v);
    return left <= items && items - left <= static_cast<size_t>(values_.back().count);
  }
  bool Can(size_t state, size_t v) const { return v == stride_.size() || Left(state, v) > 0; }
  size_t After(size_t state, size_t v) const {
    return v == stride_.size() ? state : state - stride_[v];
  }

 private:
  std::span<const Run> values_;
  std::vector<size_t> stride_;
  size_t count_ = 1;
};

}  // namespace gangplan::exact
