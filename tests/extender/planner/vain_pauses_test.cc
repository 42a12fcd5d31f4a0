#include "extender/planner/vain_pauses.h"

#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/extender/planner/one_group.h"
#include "tests/support/catch.h"

namespace gangplan::vain_pauses_test {
namespace {

constexpr absl::Time kNow = absl::FromUnixSeconds(100);

std::unique_ptr<Group> Named(std::string_view name, GroupId id = 1) {
  return MakeGroup({.name = std::string(name), .size = 2, .place = "rack=pack!"}, 1, id);
}

}  // namespace

TEST_CASE("VainPauses: they double up to the longest, for whoever has the name, until it starts") {
  VainPauses pauses(10);
  CHECK(pauses.Until(*Named("a")) <= kNow);
  pauses.Note(kNow, *Named("a"));
  CHECK(pauses.Until(*Named("a", 2)) == kNow + kInVainPause);
  pauses.Note(kNow, *Named("a", 2));
  CHECK(pauses.Until(*Named("a", 3)) == kNow + 2 * kInVainPause);
  for (int i = 0; i < 20; ++i) pauses.Note(kNow, *Named("a"));
  CHECK(pauses.Until(*Named("a")) == kNow + kMaxInVainPause);
  CHECK(pauses.Until(*Named("b")) <= kNow);
  pauses.End(*Named("a", 4));
  CHECK(pauses.Until(*Named("a")) <= kNow);
  pauses.Note(kNow, *Named("a"));
  CHECK(pauses.Until(*Named("a")) == kNow + kInVainPause);
}

TEST_CASE("VainPauses: what has been over for the longest pause is forgotten") {
  VainPauses pauses(10);
  pauses.Note(kNow, *Named("a"));
  const absl::Time forgets = kNow + kInVainPause + kMaxInVainPause;
  pauses.Tick(forgets - absl::Seconds(1));
  CHECK(pauses.Until(*Named("a")) == kNow + kInVainPause);
  pauses.Tick(forgets);
  CHECK(pauses.Until(*Named("a")) == absl::InfinitePast());
}

TEST_CASE("VainPauses: so many are remembered, and of one more the oldest is not") {
  VainPauses pauses(3);
  for (int i = 0; i < 4; ++i) pauses.Note(kNow + absl::Seconds(i), *Named(fmt::format("{}", i)));
  CHECK(pauses.Until(*Named("0")) == absl::InfinitePast());
  for (int i = 1; i < 4; ++i)
    CHECK(pauses.Until(*Named(fmt::format("{}", i))) == kNow + absl::Seconds(i) + kInVainPause);
}

}  // namespace gangplan::vain_pauses_test
