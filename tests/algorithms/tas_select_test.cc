// Cuts by counting against the rule itself: sort, then walk.
#include "algorithms/tas/select.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/support/catch.h"
#include "tests/support/rounds.h"

namespace gangplan::tas {
namespace {

struct Domain {
  int32_t units = 0;
  int32_t tie = 0;
  int32_t index = 0;
};

// Whole domains in order; best fit: the smallest that is enough as soon as one is.
TakenList Walk(std::vector<Domain> order, const CutRequest& request) {
  std::sort(order.begin(), order.end(), [&](const Domain& a, const Domain& b) {
    if (a.units != b.units)
      return MostFirst(request.fill) ? a.units > b.units : a.units < b.units;
    return a.tie != b.tie ? a.tie < b.tie : a.index < b.index;
  });
  TakenList taken;
  int32_t need = request.units();
  int32_t pods = request.pods;
  for (size_t i = 0; i < order.size() && need > 0; ++i) {
    Domain chosen = order[i];
    for (size_t j = i;
         request.fill == TasFill::kBestFit && order[i].units >= need && j < order.size(); ++j) {
      if (order[j].units >= need && order[j].units < chosen.units) chosen = order[j];
    }
    const int32_t part = std::min(chosen.units, need);
    if (part == 0) continue;
    taken.push_back({chosen.index, std::min(part * request.unit, pods), 0});
    need -= part;
    pods -= taken.back().pods;
  }
  if (need > 0) return {};
  std::sort(taken.begin(), taken.end(), [](auto& a, auto& b) { return a.index < b.index; });
  return taken;
}

struct RandomPool {
  std::vector<Tree::Range> ranges;
  std::vector<int32_t> counts;
  std::vector<int32_t> ties;
  int32_t size = 0;

  explicit RandomPool(std::mt19937& dice) {
    const int32_t domains = 20 + static_cast<int32_t>(dice() % 1500);
    const uint32_t most = 1 + (dice() % 3 == 0 ? 3000 : dice() % 40);
    for (int32_t i = 0; i < domains; ++i) {
      counts.push_back(static_cast<int32_t>(dice() % most));
      ties.push_back(static_cast<int32_t>(dice() % 3));
    }
    int32_t at = 0;
    while (at < domains) {
      const int32_t end = std::min<int32_t>(domains, at + 1 + static_cast<int32_t>(dice() % 400));
      ranges.push_back({at, end});
      size += end - at;
      at = end + static_cast<int32_t>(dice() % 5);
    }
  }

  std::vector<Domain> Domains(const Divider& unit, bool by_tie) const {
    std::vector<Domain> domains;
    ForEach(ranges, [&](int32_t i) {
      domains.push_back({unit(counts[i]), by_tie ? ties[i] : 0, i});
    });
    return domains;
  }
};

TEST_CASE("A cut by counting takes what the walk through the sorted pool takes") {
  std::mt19937 dice(20261121);
  SelectScratch scratch;
  for (int round = 0; round < Rounds(2000); ++round) {
    const RandomPool pool(dice);
    const bool by_tie = dice() % 2 == 0;
    const Divider divider(dice() % 2 == 0 ? 1 : 1 + static_cast<int32_t>(dice() % 5));
    const std::vector<Domain> domains = pool.Domains(divider, by_tie);
    const int64_t all = std::accumulate(domains.begin(), domains.end(), int64_t{0},
                                        [](int64_t sum, const Domain& d) { return sum + d.units; });
    CutRequest request;
    request.unit = 1 + static_cast<int32_t>(dice() % 4);
    request.fill = static_cast<TasFill>(dice() % 3);
    request.pods = static_cast<int32_t>(dice() % (static_cast<uint64_t>(all) * request.unit + 9));
    TakenList taken;
    const Units units{pool.counts.data(), by_tie ? pool.ties.data() : nullptr, divider};
    const bool fits = SelectTaken(pool.ranges, units, request, scratch, taken);
    INFO("round " << round);
    REQUIRE(fits == (request.units() <= all));
    REQUIRE(taken == Walk(domains, request));
  }
}

TEST_CASE("The largest that hold all are counted as they are taken") {
  std::mt19937 dice(20261122);
  SelectScratch scratch;
  for (int round = 0; round < Rounds(2000); ++round) {
    const RandomPool pool(dice);
    std::vector<int32_t> counts;
    ForEach(pool.ranges, [&](int32_t i) { counts.push_back(pool.counts[i]); });
    std::sort(counts.begin(), counts.end(), std::greater<>());
    const int64_t all = std::accumulate(counts.begin(), counts.end(), int64_t{0});
    const int32_t need = 1 + static_cast<int32_t>(dice() % (static_cast<uint64_t>(all) + 9));
    const LargestFirst largest = CountLargestFirst(pool.ranges, pool.counts.data(), need, scratch);
    INFO("round " << round);
    REQUIRE(largest.fits == (need <= all));
    if (!largest.fits) continue;
    int64_t sum = 0;
    int32_t used = 0;
    while (sum < need) sum += counts[static_cast<size_t>(used++)];
    REQUIRE(largest.used == used);
    REQUIRE(largest.last_units == counts[static_cast<size_t>(used) - 1]);
  }
}

}  // namespace
}  // namespace gangplan::tas
