// Division of counts by one size, as a multiplication: slices are counted for every domain of a
// level, and a division costs several times more. Pure values; any thread.
#pragma once

#include <cstdint>

namespace gangplan::tas {

class Divider {
 public:
  // REQUIRES: size >= 1. (The reciprocal of 1 does not fit; it wraps to 0, which means "as it is".)
  explicit Divider(int32_t size)
      : size_(size), reciprocal_(UINT64_MAX / static_cast<uint64_t>(size) + 1) {}

  int32_t size() const { return size_; }
  // floor(count / size). REQUIRES: count >= 0.
  int32_t operator()(int32_t count) const {
    if (reciprocal_ == 0) return count;
    __extension__ using Wide = unsigned __int128;
    return static_cast<int32_t>((static_cast<Wide>(reciprocal_) * static_cast<uint32_t>(count)) >>
                                64);
  }
  int32_t RoundDown(int32_t count) const { return (*this)(count)*size_; }

 private:
  int32_t size_;
  uint64_t reciprocal_;
};

}  // namespace gangplan::tas
