// Who of some siblings hosts which part of a load (see loads.h), where each is worth something by
// its part and what they are worth adds up: a table of what the siblings so far are worth at most.
//
//   two others, worths by others: 2, 3, 3 and 0, 1, 2: both on the second is worth 4, one each too
//
// Cost: O(loads^2) a sibling, 8 bytes a sibling and load, twice. Thread rule: one call at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/exact/loads.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {

class BestHosts {
 public:
  // That part is not possible there; sums with it stay below kNever / 2.
  static constexpr int64_t kNever = INT64_MIN / 4;

  BestHosts(const Loads& loads, int32_t load)
      : loads_(loads), load_(load), width_(static_cast<size_t>(load) + 1), best_(width_, kNever) {
    best_.front() = 0;
  }

  // One more sibling; `worth`: by part, up to the load.
  void Add(std::span<const int64_t> worth) {
    worths_.insert(worths_.end(), worth.begin(), worth.end());
    const size_t before = best_.size() - width_;
    best_.resize(best_.size() + width_, kNever);
    CountWork(Work::kEntry, static_cast<int64_t>(width_ * (width_ + 1)) / 2);
    for (int32_t had = 0; had <= load_; ++had) {
      int64_t& best = best_[before + width_ + static_cast<size_t>(had)];
      for (int32_t part = 0; part <= had; ++part)
        if (loads_.Within(part, had)) best = std::max(best, With(before, worth, had, part));
    }
  }

  bool can() const { return best_.back() > kNever / 2; }
  // REQUIRES: can.
  int64_t worth() const { return best_.back(); }
  // The part of each sibling, as it was added. REQUIRES: can.
  std::vector<int32_t> Parts() const {
    std::vector<int32_t> parts(worths_.size() / width_, 0);
    int32_t left = load_;
    for (size_t at = parts.size(); at-- > 0;) {
      const std::span<const int64_t> worth = std::span(worths_).subspan(at * width_, width_);
      const int64_t best = best_[(at + 1) * width_ + static_cast<size_t>(left)];
      int32_t part = 0;
      while (!loads_.Within(part, left) || With(at * width_, worth, left, part) != best) ++part;
      parts[at] = part;
      left -= part;
    }
    return parts;
  }

 private:
  int64_t With(size_t before, std::span<const int64_t> worth, int32_t had, int32_t part) const {
    const int64_t others = best_[before + static_cast<size_t>(had - part)];
    return std::max(kNever, others + worth[static_cast<size_t>(part)]);
  }

  const Loads& loads_;
  const int32_t load_;
  const size_t width_;
  std::vector<int64_t> best_;    // [siblings][load]: of the first ones
  std::vector<int64_t> worths_;  // [sibling][part]
};

}  // namespace gangplan::exact
