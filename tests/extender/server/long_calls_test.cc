#include "extender/server/long_calls.h"

#include "extender/server/limits.h"
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
  CHECK(calls.Owed() == absl::ZeroDuration());
  calls.NoteSpent(absl::Milliseconds(501));  // half a second more than there was
  CHECK(calls.Owed() == absl::Seconds(1));
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

TEST_CASE("Long calls: who asks seldom is let in where those who ask all the time are not") {
  LongCalls calls(2, kHalf);
  absl::Time now = kStart;
  for (int i = 0; i < 2; ++i) CHECK(calls.Begin(now, "often").empty());
  CHECK_FALSE(calls.Begin(now, "often").empty());
  CHECK_FALSE(calls.Begin(now).empty());  // whoever that is
  for (const char* seldom : {"a", "b"}) CHECK(calls.Begin(now, seldom).empty());
  CHECK_FALSE(calls.Begin(now, "c").empty());  // twice as many at once are all
  for (const char* peer : {"often", "often", "a", "b"}) calls.End(peer);
  calls.NoteSpent(absl::Seconds(2));
  CHECK_FALSE(calls.Begin(now, "often").empty());
  CHECK_FALSE(calls.Begin(now, "a").empty());  // a moment ago
  CHECK(calls.Begin(now, "c").empty());
  calls.NoteSpent(absl::Milliseconds(2'499));
  now += absl::Seconds(1);
  CHECK_FALSE(calls.Begin(now, "c").empty());  // it is under way still
  CHECK(calls.Begin(now, "a").empty());
  CHECK_FALSE(calls.Begin(now, "a").empty());
  calls.NoteSpent(absl::Milliseconds(1));
  CHECK_FALSE(calls.Begin(now, "b").empty());  // those have had theirs, too
}

TEST_CASE("Long calls: so many peers are known apart, and those beyond ask like all others") {
  LongCalls calls(1, absl::InfiniteDuration());
  for (size_t i = 0; i < kMaxLongPeers; ++i) {
    const std::string peer = std::to_string(i);
    CHECK(calls.Begin(kStart, peer).empty());
    calls.End(peer);
  }
  CHECK(calls.Begin(kStart, "0").empty());
  CHECK_FALSE(calls.Begin(kStart, "one more").empty());
  CHECK(calls.Begin(kStart + absl::Seconds(1), "one more").empty());
}

}  // namespace
}  // namespace gangplan::long_calls_test
