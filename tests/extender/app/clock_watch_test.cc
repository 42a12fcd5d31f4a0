#include "extender/app/clock_watch.h"

#include <string>
#include <vector>

#include "kube_fakes.h"
#include "tests/support/catch.h"

namespace gangplan::clock_watch_test {
namespace {

TEST_CASE("Clock watch: a host that slept is told after a minute, and once an hour") {
  FakeClock clock, host;
  std::vector<std::string> told;
  ClockWatch watch(clock, host, [&](std::string_view text) { told.emplace_back(text); });
  const auto pass = [&](absl::Duration time) {
    clock.Advance(time);
    host.Advance(time);
    watch.Look();
  };
  host.Advance(kClockDrift);
  for (int i = 0; i < 120; ++i) pass(absl::Seconds(1));
  CHECK(told.empty());  // as clocks are kept
  host.Advance(absl::Minutes(40));
  for (int i = 0; i < 60; ++i) pass(absl::Seconds(1));
  CHECK(told.empty());
  pass(absl::Seconds(1));
  REQUIRE(told.size() == 1);
  CHECK(told[0].starts_with("this process's clock is 40m30s behind the host's"));
  for (int i = 0; i < 59; ++i) pass(absl::Minutes(1));
  CHECK(told.size() == 1);
  pass(absl::Minutes(1));
  CHECK(told.size() == 2);
}

TEST_CASE("Clock watch: a clock that is set for some seconds alone is nobody's business") {
  FakeClock clock, host;
  int told = 0;
  ClockWatch watch(clock, host, [&](std::string_view text) {
    ++told;
    CHECK(text.find(" before the host's") != std::string_view::npos);
  });
  clock.Advance(absl::Minutes(5));  // the host was set back
  watch.Look();
  host.Advance(absl::Minutes(5));
  watch.Look();
  clock.Advance(absl::Minutes(5));
  for (int i = 0; i < 60; ++i) {
    watch.Look();
    clock.Advance(absl::Seconds(1));
    host.Advance(absl::Seconds(1));
  }
  CHECK(told == 0);
  watch.Look();
  CHECK(told == 1);
}

}  // namespace
}  // namespace gangplan::clock_watch_test
