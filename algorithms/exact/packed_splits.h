// All splits of members over siblings that host a load whose squares are the largest, where so many
// are used: all but one are full, or hosts that have no more than their part. Where the counts that
// no split majorizes cannot be dealt out, these are what a best placement may have (docs/exact.md).
//
//   racks of 9 and 8 workers, or 10 and 9 beside one other: 18 members with it are 10 and 8, or 9
//   and 9; the first is better
//
// A table of what the first siblings hold with which part; up to some 50 MB. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/exact/crowd_split.h"
#include "algorithms/exact/fullest.h"
#include "algorithms/exact/split.h"
#include "algorithms/exact/terms.h"

namespace gangplan::exact {

struct PackedSplits {
  bool known = false;    // false: too many, or the steps ended, which pay for it
  int64_t squares = -1;  // less than 0: there is no split
  // All of them. Where hosts may have no more than they must, one may be counted as full, too.
  std::vector<std::vector<Run>> splits;
};

// `used`: as many as are used. Not known, too, where one without a part might have just what it
// must.
PackedSplits FindPackedSplits(const Fullest& fullest, const Loads& loads, const Terms& terms,
                              int32_t load, int32_t used, int32_t members, int64_t& steps);

}  // namespace gangplan::exact
