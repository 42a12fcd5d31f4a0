// One packed level by itself for a crowd: the counts of siblings that no split of the members
// majorizes, whoever hosts the load.
//
//   one rack holds 9 at most, two hold 17, three 21: 15 members use two, and 9 and 6 have the
//   largest squares, 117
//   where these are 10, 15 and 21, 21 members use three: 10, 5 and 6 do not fall, so the split is
//   not known, but no squares are more than 10 * 10 and twice 5.5 * 5.5, rounded up: 161
//
// Pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "algorithms/exact/fullest.h"
#include "algorithms/exact/split.h"
#include "algorithms/exact/terms.h"

namespace gangplan::exact {

// What so many siblings hold together at most; less than 0: the load is not on so many.
struct HeldBy {
  std::function<int64_t(int32_t used)> whole;  // with the whole load
  std::function<int64_t(int32_t used)> part;   // with any part of it
  int32_t siblings = 0;
};
HeldBy HeldOf(const Fullest& fullest, int32_t load);

// As if those with the most room beside each part were there once more to host it, and no more than
// the fullest hold without a load and what hosts gain by their part at most: no less, and cheaper
// than Fullest. O(siblings * log siblings + pods * loads^2); `rows` as Fullest has them.
class RoughlyFullest {
 public:
  RoughlyFullest(std::span<const int32_t> rows, const Loads& loads, int32_t load);
  HeldBy held() const;

 private:
  void FillGains(std::span<const int32_t> rows, const Loads& loads, int32_t load);

  std::vector<int64_t> alone_;           // [t]: the first t hold so many without a load
  std::vector<int64_t> whole_, part_;    // [hosts]: what they hold with the whole load, any part
  int64_t gain_ = 0, gain_of_part_ = 0;  // what hosts hold more than without the load, any part
};

// How many siblings are used at least, and the most that the sum of their squares is then.
struct PackedLevel {
  bool known = false;
  int32_t used = 0;
  int64_t squares = 0;
  std::vector<Run> split;  // no other one has as much, if it can be dealt; empty: not known

  // `most`: that the first siblings hold together, from none to all that are used.
  void Majorize(std::span<const int64_t> most);
};
// `parts`: kAnyParts or as many as are used.
PackedLevel PackedCrowd(const HeldBy& held, const Terms& terms, int32_t parts, int32_t members);

}  // namespace gangplan::exact
