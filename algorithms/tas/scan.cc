#include "algorithms/tas/scan.h"

#include <algorithm>
#include <cstring>

namespace gangplan::tas {
namespace {

// Eight counts at once, on any machine: the compiler makes of it what the machine has.
using Counts8 = int32_t __attribute__((vector_size(32)));
constexpr int32_t kLanes = 8;

}  // namespace

Scan ScanCounts(const int32_t* counts, int32_t begin, int32_t end, int32_t need) {
  Counts8 most8 = {};
  Counts8 least8 = most8 + INT32_MAX;
  int32_t i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    Counts8 count;
    std::memcpy(&count, counts + i, sizeof count);
    most8 = count > most8 ? count : most8;
    const Counts8 better = (count >= need) & (count < least8);
    least8 = better ? count : least8;
  }
  int32_t most = 0;
  int32_t least = INT32_MAX;
  for (int32_t lane = 0; lane < kLanes; ++lane) {
    most = std::max(most, most8[lane]);
    least = std::min(least, least8[lane]);
  }
  for (; i < end; ++i) {
    most = std::max(most, counts[i]);
    if (counts[i] >= need) least = std::min(least, counts[i]);
  }
  return {most, most >= need && begin < end ? least : -1};
}

int64_t SumCounts(const int32_t* counts, int32_t begin, int32_t end) {
  int64_t sum = 0;
  for (int32_t i = begin; i < end; ++i) sum += counts[i];
  return sum;
}

}  // namespace gangplan::tas
