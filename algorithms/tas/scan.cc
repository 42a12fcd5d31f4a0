#include "algorithms/tas/scan.h"

#include <algorithm>

namespace gangplan::tas {

Scan ScanCounts(const int32_t* counts, int32_t begin, int32_t end, int32_t need) {
  int32_t most = 0;
  int32_t least = INT32_MAX;
  for (int32_t i = begin; i < end; ++i) {
    const int32_t count = counts[i];
    most = count > most ? count : most;
    const int32_t enough = count >= need ? count : INT32_MAX;
    least = enough < least ? enough : least;
  }
  return {most, most >= need && begin < end ? least : -1};
}

int64_t SumCounts(const int32_t* counts, int32_t begin, int32_t end) {
  int64_t sum = 0;
  for (int32_t i = begin; i < end; ++i) sum += counts[i];
  return sum;
}

}  // namespace gangplan::tas
