#include <string>
#include <utility>
#include <vector>

#include "config/limits.h"
#include "config/section.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::duration_test {
namespace {

TEST_CASE("Durations are read as Go writes them") {
  const std::vector<std::pair<std::string, absl::Duration>> good = {
      {"90s", absl::Seconds(90)},       {"5m", absl::Minutes(5)},
      {"1h30m", absl::Minutes(90)},     {"5m0s", absl::Minutes(5)},
      {"1.5h", absl::Minutes(90)},      {"250ms", absl::Milliseconds(250)},
      {"10us", absl::Microseconds(10)}, {"7ns", absl::Nanoseconds(7)},
      {"0", absl::ZeroDuration()},      {"24h", absl::Hours(24)},
  };
  for (const auto& [text, duration] : good) {
    INFO(text);
    const absl::StatusOr<absl::Duration> read = ParseGoDuration(text);
    REQUIRE(read.ok());
    CHECK(*read == duration);
  }
}

TEST_CASE("What is no duration is refused with examples of one") {
  for (const std::string text :
       {"", "5", "m", "5 m", "5d", "+5m", "-5m", "inf", "5m ", "1h-5m", "99999999999999999999h"}) {
    INFO(text);
    CHECK(Message(ParseGoDuration(text).status()) ==
          "a duration such as 90s, 5m or 1h30m expected, got \"" + text + "\"");
  }
}

TEST_CASE("A duration is a day at most") {
  CHECK(ParseGoDuration("86400s").ok());
  CHECK(Message(ParseGoDuration("86401s").status()) == "at most 24h expected, got 86401s");
}

}  // namespace
}  // namespace gangplan::duration_test
