// What siblings that are alike take together when one or two of them host the parts of a load.
//
//   nodes of 4, 4 and 2 workers of which each takes 2 at least, or 4, 3 and 2 beside a leader: one
//   node takes 2 to 4, two 4 to 8, three 6 to 10, the leader included
//
// Pure; linear in the siblings and their number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/exact/leaf_kinds.h"

namespace gangplan::exact {

// The most of two siblings, one with each of two numbers, as siblings are added; beyond kNone there
// is none.
struct BestOfTwo {
  static constexpr int64_t kNone = INT64_MIN / 8;  // less than any sum
  int64_t one = kNone, other = kNone, both = kNone;

  void Add(int64_t first, int64_t second) {
    both = std::max({both, first + other, second + one});
    one = std::max(one, first);
    other = std::max(other, second);
  }
};

struct Hosting {
  std::vector<LeafKinds::Row> siblings;  // the most with each load; the most without first
  LeafKinds::Row least = {};             // with each load; the same for all that can have it
  int32_t step = 1;                      // between what one takes

  // All from `begin` to `end` in steps.
  struct Stretch {
    int64_t begin = 0;
    int64_t end = 0;
  };
  // What is taken up to `members` by exactly `used` siblings (0: by any number) of which each of
  // `parts`, one or two, is on one of its own; in addition to what is in `stretches`.
  void Add(std::span<const int32_t> parts, int32_t used, int32_t members,
           std::vector<Stretch>& stretches) const;

 private:
  void AddAll(std::span<const int32_t> parts, int32_t members,
              std::vector<Stretch>& stretches) const;
  std::vector<int64_t> HeldWith(size_t part) const;
  std::vector<int64_t> HeldWith(size_t one, size_t other) const;
  std::vector<int64_t> MostFrom(size_t part) const;
  std::vector<int64_t> MostOfTwoFrom(size_t one, size_t other) const;
};

// The same, ascending, those that touch as one.
void Join(int32_t step, std::vector<Hosting::Stretch>& stretches);

}  // namespace gangplan::exact
