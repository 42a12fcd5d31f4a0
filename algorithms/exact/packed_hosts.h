// Who of some leaves hosts a load so that the sum of squares is the largest where so many are used:
// all are full or have what they must, but for one between. Who hosts nothing is one of the fullest
// (see fullest.h).
//
//   leaves of 8, 8 and 6 workers, or 10, 8 and 8 beside two others, all of 8 beside one: 24 members
//   are 10, 8 and 6 with two on the first, or 8, 8 and 8 with one on the last; the first is better
//
// A table of what the first leaves hold with which part; up to some 50 MB. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/exact/fullest.h"
#include "algorithms/exact/split.h"
#include "algorithms/exact/terms.h"

namespace gangplan::exact {

struct PackedHosts {
  int64_t squares = 0;  // no split has more
  std::vector<Fullest::Host> hosts;
};

// `bound`: no split has more squares than that. Nothing: there is no such split, the table is too
// large, or the steps ended, which pay for it.
std::optional<PackedHosts> PackHosts(const Fullest& fullest, const Loads& loads, const Terms& terms,
                                     int32_t load, int32_t used, int32_t members, int64_t bound,
                                     int64_t& steps);

// The same by a look at who is the fullest: the first of these full, and the last value of the
// split beside; perhaps less than the most. O(load * (siblings + pods)).
std::optional<PackedHosts> TraceHosts(const Fullest& fullest, const Loads& loads, int32_t load,
                                      std::span<const Run> split);

}  // namespace gangplan::exact
