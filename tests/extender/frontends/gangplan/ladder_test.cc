#include "extender/frontends/gangplan/ladder.h"

#include <string>

#include "extender/frontends/gangplan/place.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/limits.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "topology/base/text.h"

namespace gangplan::ladder_test {
namespace {

std::string Error(std::string_view text) {
  const absl::StatusOr<std::vector<Rung>> ladder = ParseLadder(text, ThreeLevels());
  return ladder.ok() ? "" : Message(ladder.status());
}

LevelRules Rules(std::string_view text) { return *ParsePlace(kPlaceWord, text, ThreeLevels()); }

// The first one and so many more.
std::string Rungs(size_t more) {
  std::string text = "rack=pack!";
  for (size_t i = 1; i <= more; ++i) text += fmt::format(" | after {}m: rack=pack", i);
  return text;
}

}  // namespace

TEST_CASE("Ladder: each rung has its time and its rules") {
  const auto ladder = ParseLadder(
      "rack=pack! | after 10m: block=pack!; rack=spread|after 1h30m:any", ThreeLevels());
  REQUIRE(ladder.ok());
  CHECK(*ladder == std::vector<Rung>{{absl::ZeroDuration(), "rack=pack!", Rules("rack=pack!")},
                                     {absl::Minutes(10), "block=pack!; rack=spread",
                                      Rules("block=pack!; rack=spread")},
                                     {absl::Minutes(90), "any", Rules("")}});
}

TEST_CASE("Ladder: a text without rungs is one, and may be empty") {
  for (const char* text : {"", "any", "rack=pack!"}) {
    const auto ladder = ParseLadder(text, ThreeLevels());
    REQUIRE(ladder.ok());
    CHECK(*ladder == std::vector<Rung>{{absl::ZeroDuration(), text, Rules(text)}});
  }
}

TEST_CASE("Ladder: what is wrong is named with what was expected") {
  CHECK(Error("rack=pack! | block=pack!") ==
        "gangplan.io/place: \"block=pack!\": expected \"after TIME: RULES\", such as "
        "after 10m: block=pack!");
  CHECK(Error("rack=pack! |") ==
        "gangplan.io/place: \"\": expected \"after TIME: RULES\", such as "
        "after 10m: block=pack!");
  CHECK(Error("rack=pack! | after 10m:") ==
        "gangplan.io/place: a rung is empty; expected rules, or any for none");
  for (const char* time : {"soon", "-5m", "0s", "inf", "10", ""}) {
    const std::string error = Error(fmt::format("rack=pack! | after {}: any", time));
    INFO(error);
    CHECK(error.find(fmt::format("\"{}\" is no time; expected one up to 8784h", time)) !=
          std::string::npos);
  }
  CHECK(
      Error("rack=pack! | after 10m: block=pack! | after 10m: any") ==
      "gangplan.io/place: \"after 10m: any\": expected a later time than that of the rung before");
  CHECK(Error("rack=pack! | after 10m: shelf=pack!").find("has no level \"shelf\"") !=
        std::string::npos);
}

TEST_CASE("Ladder: rungs and times have limits") {
  CHECK(Error(Rungs(kMaxRungs - 1)).empty());
  CHECK(Error(Rungs(kMaxRungs)) == "gangplan.io/place: more than 8 rungs");
  CHECK(Error("rack=pack! | after 8784h: any").empty());
  CHECK_FALSE(Error("rack=pack! | after 8785h: any").empty());
  const std::string blanks(kMaxWordBytes - 3, ' ');
  CHECK(Error("any" + blanks).empty());
  CHECK(Error("any " + blanks) == "gangplan.io/place: longer than 4096 bytes");
}

}  // namespace gangplan::ladder_test
