// Spread of one level for a crowd: what it costs at least, whoever hosts the load. Rows as Fullest
// has them: of each sibling what it holds by load, less than 0 where that does not fit.
//
//   nodes of 3, 1 and 0 workers, two others that the last holds alone: 4 members are 2 and 1 and 1
//
// Pure functions, O(siblings * loads^2) for each value that is looked at; `steps` pays for it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/exact/loads.h"
#include "algorithms/exact/split.h"
#include "algorithms/exact/terms.h"

namespace gangplan::exact {

struct SpreadLevel {
  bool known = false;
  int64_t squares = 0;     // no split has less
  std::vector<Run> split;  // no other one that has as much, if it can be dealt; empty: not known
  std::vector<int32_t> parts;  // by sibling; where they are leaves, those of the least that was met
};

// As if each had the part with which it holds the most; cheap. `parts`: kAnyParts or as many as are
// used.
SpreadLevel SpreadLoosely(std::span<const int32_t> rows, const Loads& loads, int32_t load,
                          const Terms& terms, int32_t parts, int32_t members, int64_t& steps);
// One level, whatever is below it.
SpreadLevel SpreadCrowd(std::span<const int32_t> rows, const Loads& loads, int32_t load,
                        const Terms& terms, int32_t parts, int32_t members, int64_t& steps);
// The last level.
SpreadLevel SpreadLeaves(std::span<const int32_t> rows, const Loads& loads, int32_t load,
                         const Terms& terms, int32_t parts, int32_t members, int64_t& steps);

}  // namespace gangplan::exact
