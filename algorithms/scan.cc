#include "algorithms/scan.h"

#include <algorithm>
#include <cstring>

namespace gangplan {
namespace {

// Four counts at once: what every machine of ours has.
using Counts4 = int32_t __attribute__((vector_size(16)));
constexpr int32_t kLanes = 4;

Counts4 Load(const int32_t* counts) {
  Counts4 loaded;
  std::memcpy(&loaded, counts, sizeof loaded);
  return loaded;
}

// What the lanes have seen. Two of them take turns, so that one need not wait for itself.
struct Lanes {
  Counts4 most = {};
  Counts4 least = Counts4{} + INT32_MAX;

  void See(Counts4 count, Counts4 too_few) {
    const Counts4 larger = count > most;
    most = (count & larger) | (most & ~larger);
    const Counts4 better = (count > too_few) & (count < least);
    least = (count & better) | (least & ~better);
  }
};

}  // namespace

Scan ScanCounts(const int32_t* counts, int32_t begin, int32_t end, int32_t need) {
  const Counts4 too_few = Counts4{} + (need - 1);
  Lanes even, odd;
  int32_t i = begin;
  for (; i + 2 * kLanes <= end; i += 2 * kLanes) {
    even.See(Load(counts + i), too_few);
    odd.See(Load(counts + i + kLanes), too_few);
  }
  int32_t most = 0;
  int32_t least = INT32_MAX;
  for (int32_t lane = 0; lane < kLanes; ++lane) {
    most = std::max({most, even.most[lane], odd.most[lane]});
    least = std::min({least, even.least[lane], odd.least[lane]});
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

}  // namespace gangplan
