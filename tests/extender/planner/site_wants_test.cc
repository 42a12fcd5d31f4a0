#include "extender/planner/site_wants.h"

#include <random>

#include "tests/support/catch.h"

namespace gangplan::site_wants_test {

// What each has, where the last ones have less.
std::vector<int32_t> Shared(const std::vector<int32_t>& wants, int64_t most) {
  std::vector<int32_t> shared;
  for (const int32_t want : wants) {
    shared.push_back(static_cast<int32_t>(std::min<int64_t>(want, most)));
    most -= shared.back();
  }
  return shared;
}

TEST_CASE("SiteWants: the last sites have less, whatever came before") {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    const size_t sites = 1 + random() % 6;
    SiteWants wants;
    wants.Reset(sites);
    std::vector<int32_t> wanted(sites), had(sites);
    for (int step = 0; step < 200; ++step) {
      for (size_t more = random() % 3; more > 0; --more) {
        const size_t site = random() % sites;
        wanted[site] = random() % 3 == 0 ? 0 : static_cast<int32_t>(random() % 5);
        wants.Want(site, wanted[site]);
      }
      const auto most = static_cast<int64_t>(random() % 16);
      wants.Limit(most);
      const std::vector<int32_t> shared = Shared(wanted, most);
      const std::set<size_t> changed = wants.TakeChanged();
      int64_t all = 0;
      for (size_t i = 0; i < sites; ++i) {
        CHECK(wants.Of(i) == shared[i]);
        CHECK((wants.Of(i) == had[i] || changed.contains(i)));
        all += had[i] = wants.Of(i);
      }
      CHECK(wants.all() == all);
    }
  }
}

TEST_CASE("SiteWants: one pod less or more changes what one site has") {
  SiteWants wants;
  wants.Reset(1'000);
  for (size_t i = 0; i < 1'000; ++i) wants.Want(i, 1);
  wants.Limit(500);
  wants.TakeChanged();
  wants.Limit(499);
  CHECK(wants.TakeChanged() == std::set<size_t>{499});
  wants.Limit(501);
  CHECK(wants.TakeChanged() == std::set<size_t>{499, 500});
  wants.Want(3, 0);
  wants.Limit(501);
  CHECK(wants.TakeChanged() == std::set<size_t>{3, 501});
}

}  // namespace gangplan::site_wants_test
