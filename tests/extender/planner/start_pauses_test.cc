#include "extender/planner/start_pauses.h"

#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/support/catch.h"

namespace gangplan::start_pauses_test {
namespace {

constexpr absl::Time kNow = absl::FromUnixSeconds(100);

}  // namespace

TEST_CASE("StartPauses: the first time again at once, then after pauses that double") {
  StartPauses starts(10);
  CHECK(starts.Until("a") <= kNow);
  starts.NoteStart(kNow, "a");
  CHECK(starts.Until("a") <= kNow);
  starts.NoteStart(kNow, "a");
  CHECK(starts.Until("a") == kNow + kFruitlessPause);
  starts.NoteStart(kNow, "a");
  CHECK(starts.Until("a") == kNow + 2 * kFruitlessPause);
  for (int i = 0; i < 20; ++i) starts.NoteStart(kNow, "a");
  CHECK(starts.Until("a") == kNow + kMaxPause);
  CHECK(starts.Starts("a") == 23);
  CHECK(starts.Starts("b") == 0);
}

TEST_CASE("StartPauses: what was left alone for the longest pause is forgotten") {
  StartPauses starts(10);
  starts.NoteStart(kNow, "a");
  starts.NoteStart(kNow, "a");
  starts.Tick(kNow + kFruitlessPause + kMaxPause - absl::Seconds(1));
  CHECK(starts.Starts("a") == 2);
  starts.Tick(kNow + kFruitlessPause + kMaxPause);
  CHECK(starts.Starts("a") == 0);
  CHECK(starts.size() == 0);
}

TEST_CASE("StartPauses: so many are remembered, and of one more the oldest is not") {
  StartPauses starts(3);
  for (int i = 0; i < 3; ++i) starts.NoteStart(kNow + absl::Seconds(i), fmt::format("{}", i));
  CHECK(starts.size() == 3);
  CHECK(starts.Starts("0") == 1);
  starts.NoteStart(kNow + absl::Seconds(3), "3");
  CHECK(starts.size() == 3);
  CHECK(starts.Starts("0") == 0);
  CHECK(starts.Starts("3") == 1);
}

}  // namespace gangplan::start_pauses_test
