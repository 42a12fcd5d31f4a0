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

// Some sites go, and some come between the others.
void Renumber(std::mt19937& random, SiteWants& wants, std::vector<int32_t>& wanted,
              std::vector<int32_t>& had) {
  std::vector<size_t> from;
  for (size_t old = 0; old <= wanted.size(); ++old) {
    if (random() % 4 == 0) from.push_back(kNoSite);
    if (old < wanted.size() && random() % 4 != 0) from.push_back(old);
  }
  std::vector<int32_t> wanted_now, had_now;
  for (const size_t old : from) {
    wanted_now.push_back(old == kNoSite ? 0 : wanted[old]);
    had_now.push_back(old == kNoSite ? 0 : had[old]);
  }
  wants.Renumber(from);
  wanted.swap(wanted_now);
  had.swap(had_now);
}

TEST_CASE("SiteWants: the last sites have less, whatever came before") {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    SiteWants wants;
    std::vector<int32_t> wanted(1 + random() % 6);
    std::vector<int32_t> had(wanted.size());
    wants.Reset(wanted.size());
    for (int step = 0; step < 200; ++step) {
      if (random() % 4 == 0) Renumber(random, wants, wanted, had);
      const size_t sites = wanted.size();
      for (size_t more = random() % 3; more > 0 && sites > 0; --more) {
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
