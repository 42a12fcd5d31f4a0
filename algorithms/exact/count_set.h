// Sets of numbers of members, 0 to a limit. CountSet holds any; Reach is how a domain's set is kept
// (nearly always a few numbers).
//
//   a node for 4 members, node=pack min=3, takes 0, 3 or 4: lo 3, hi 4, step 1, zero
//   a rack of two of them takes 0, 3, 4, 6, 7 or 8: lo 3, hi 8, step 1, and a set without 5
//   {0, 3}.PlusEach(2, 2, 4), each count plus 2 or 4, is {2, 4, 5, 7}
//
// Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gangplan::exact {

class CountSet {
 public:
  explicit CountSet(int32_t limit) : limit_(limit), words_(static_cast<size_t>(limit / 64 + 1)) {}

  int32_t limit() const { return limit_; }
  bool Has(int32_t count) const {
    return ((words_[static_cast<size_t>(count / 64)] >> (count % 64)) & 1) != 0;
  }
  void Add(int32_t count) {
    words_[static_cast<size_t>(count / 64)] |= uint64_t{1} << (count % 64);
  }
  void Remove(int32_t count) {
    words_[static_cast<size_t>(count / 64)] &= ~(uint64_t{1} << (count % 64));
  }
  // From now on 0 to this limit, no higher than before; what is above it is gone.
  void Lower(int32_t limit);
  // Lowest and highest count above 0, and how many there are; no count: size 0.
  struct Extent {
    int32_t lowest = 0;
    int32_t highest = 0;
    int32_t size = 0;
  };
  Extent extent() const;
  // The lowest count from `from` on; beyond the limit when there is none.
  int32_t Next(int32_t from) const;
  // Adds first, first + step, ..., last, up to the limit.
  void AddEach(int32_t first, int32_t step, int32_t last);
  // Adds every count of `other` plus `shift`, up to the limit; `other` may be this set. O(limit /
  // 64).
  void AddShifted(const CountSet& other, int32_t shift);
  // Every count plus each of first, first + step, ..., last. O(limit / 64 * log(last - first)).
  CountSet PlusEach(int32_t first, int32_t step, int32_t last) const;

 private:
  void Trim();

  int32_t limit_;
  std::vector<uint64_t> words_;
};

// The counts that a domain can take as a whole, rules of its own level included: lo, lo + step,
// ..., hi, and among those only the ones in set number `set` where there is one; and 0, unless
// members stand there. lo is a multiple of step where there is no set. Nothing but 0: hi < lo.
struct Reach {
  int32_t lo = 1;
  int32_t hi = 0;
  int32_t step = 1;
  int32_t set = -1;
  bool zero = true;

  bool empty() const { return hi < lo; }
};

// Not even 0.
inline constexpr Reach kNoReach{1, 0, 1, -1, false};

// lo, lo + step, ..., hi. Counts of one value only are multiples of that value.
inline Reach Progression(int32_t lo, int32_t hi, int32_t step, bool zero) {
  return {lo, hi, lo == hi ? lo : step, -1, zero};
}

}  // namespace gangplan::exact
