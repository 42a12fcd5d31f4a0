#include "extender/server/long_calls.h"

#include "tests/support/catch.h"

namespace gangplan::long_calls_test {
namespace {

constexpr absl::Time kStart = absl::UnixEpoch();
constexpr absl::Duration kHalf = absl::Milliseconds(500);

TEST_CASE("Long calls: so many are under way, and not one more") {
  LongCalls calls(2, absl::InfiniteDuration());
  CHECK(calls.Begin(kStart).empty());
  calls.NoteSpent(absl::Hours(1));
  CHECK(calls.Begin(kStart).empty());
  CHECK(calls.Begin(kStart) == "2 such calls are under way, as many as may be at once; try again");
  calls.End();
  CHECK(calls.Begin(kStart).empty());
}

TEST_CASE(
    "Long calls: what they take is made up for before the next one, two seconds are saved up") {
  LongCalls calls(1'000, kHalf);
  CHECK(calls.Begin(kStart).empty());
  calls.NoteSpent(absl::Milliseconds(1'999));
  CHECK(calls.Begin(kStart).empty());
  calls.NoteSpent(absl::Milliseconds(501));  // half a second more than there was
  CHECK(calls.Begin(kStart) ==
        "such calls have had 500ms of each second, as much as they may; try again");
  CHECK_FALSE(calls.Begin(kStart + absl::Seconds(1)).empty());
  CHECK(calls.Begin(kStart + absl::Milliseconds(1'001)).empty());
  // However long nobody asks, no more is saved.
  CHECK(calls.Begin(kStart + absl::Hours(1)).empty());
  calls.NoteSpent(absl::Seconds(2));
  CHECK_FALSE(calls.Begin(kStart + absl::Hours(1)).empty());
  CHECK_FALSE(calls.Begin(kStart).empty());  // a thread that is late
}

}  // namespace
}  // namespace gangplan::long_calls_test
