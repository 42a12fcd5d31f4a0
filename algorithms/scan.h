// Passes over the counts of a level that decide most requests; compiled for speed. Pure functions.
#pragma once

#include <cstdint>

namespace gangplan {

struct Scan {
  int32_t most = 0;           // the largest count
  int32_t least_enough = -1;  // the smallest count that is `need` or more; -1: none is
};

// Of counts[begin, end). REQUIRES: need >= 0, no count is negative.
Scan ScanCounts(const int32_t* counts, int32_t begin, int32_t end, int32_t need);

int64_t SumCounts(const int32_t* counts, int32_t begin, int32_t end);

}  // namespace gangplan
