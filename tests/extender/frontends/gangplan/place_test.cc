#include "extender/frontends/gangplan/place.h"

#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/limits.h"
#include "tests/support/catch.h"
#include "tests/support/level_rule.h"
#include "tests/support/planner_world.h"
#include "topology/base/text.h"

namespace gangplan::place_test {
namespace {

std::string Error(std::string_view text) {
  absl::StatusOr<LevelRules> rules = ParsePlace(kPlaceWord, text, ThreeLevels());
  return rules.ok() ? "" : Message(rules.status());
}

LevelRules Rules(std::string_view text) {
  absl::StatusOr<LevelRules> rules = ParsePlace(kPlaceWord, text, ThreeLevels());
  INFO(text);
  REQUIRE(rules.ok());
  return *rules;
}

constexpr auto kPack = LevelRule::Kind::kPack;
constexpr auto kSpread = LevelRule::Kind::kSpread;

}  // namespace

TEST_CASE("Place: each rule lands at its level and the others have none") {
  LevelRules none(3);
  CHECK(Rules("") == none);
  CHECK(Rules(" ; ;") == none);
  CHECK(Rules("rack=pack") == LevelRules{{}, Rule(kPack, false), {}});
  CHECK(Rules("rack=pack!") == LevelRules{{}, Rule(kPack, true), {}});
  CHECK(Rules("block = spread!;node= spread") ==
        LevelRules{Rule(kSpread, true), {}, Rule(kSpread, false)});
}

TEST_CASE("Place: a level goes by its label key as well") {
  CHECK(Rules("example.com/rack=pack!") == Rules("rack=pack!"));
  CHECK(Rules("kubernetes.io/hostname=pack") == Rules("node=pack"));
}

TEST_CASE("Place: all options in one clause") {
  LevelRule rule = Rule(kSpread, false);
  rule.partitions = 4;
  rule.min = 1;
  rule.max = 8;
  rule.factor = 2;
  CHECK(Rules("rack=spread  partitions=4 min=1\tmax=8 factor=2") == LevelRules{{}, rule, {}});
}

TEST_CASE("Place: every error is placed and says what was expected") {
  CHECK(Error("rack") == "gangplan.io/place: \"rack\": expected LEVEL=pack or LEVEL=spread");
  CHECK(Error("block=pack; pod=pack") ==
        "gangplan.io/place: \"pod=pack\": topology default has no level \"pod\", its levels are "
        "block, rack, node");
  CHECK(Error("rack=pack; example.com/rack=spread") ==
        "gangplan.io/place: level rack is given twice");
  CHECK(Error("rack=") ==
        "gangplan.io/place: \"rack=\": expected pack, pack!, spread or spread! after \"=\"");
  CHECK(Error("rack=Pack") ==
        "gangplan.io/place: \"rack=Pack\": expected pack, pack!, spread or spread! after \"=\"");
  CHECK(Error("rack=pack!!") ==
        "gangplan.io/place: \"rack=pack!!\": expected pack, pack!, spread or spread! after \"=\"");
  CHECK(Error("rack=pack size=3") ==
        "gangplan.io/place: \"rack=pack size=3\": unknown option \"size=3\", expected partitions=, "
        "min=, max= or factor=");
  CHECK(Error("rack=pack max=3 max=3") ==
        "gangplan.io/place: \"rack=pack max=3 max=3\": max is given twice");
  CHECK(Error("rack=spread min=3 max=2") ==
        "gangplan.io/place: \"rack=spread min=3 max=2\": min is greater than max");
  CHECK(Error("=pack") ==
        "gangplan.io/place: \"=pack\": topology default has no level \"\", its levels are block, "
        "rack, node");
}

TEST_CASE("Place: numbers stay within their limits") {
  auto text = [](std::string_view value) { return fmt::format("rack=pack factor={}", value); };
  CHECK(Error(text("1")) == "");
  CHECK(Error(text("50000")) == "");
  for (std::string_view value : {"0", "50001", "-1", "+1", "1.5", "", "1x", "99999999999"}) {
    CHECK(Error(text(value)) ==
          fmt::format("gangplan.io/place: \"{}\": factor must be a whole number from 1 to 50000",
                      text(value)));
  }
}

TEST_CASE("Place: the longest text and one byte more") {
  std::string text = "rack=pack;" + std::string(kMaxWordBytes - 10, ' ');
  CHECK(Error(text) == "");
  CHECK(Error(text + ";") == "gangplan.io/place: longer than 4096 bytes");
}

TEST_CASE("Counts: from low to high and nothing else") {
  CHECK(ParseCount("w", "0", 0, 9).value() == 0);
  CHECK(ParseCount("w", "9", 0, 9).value() == 9);
  CHECK(Message(ParseCount("w", "10", 0, 9).status()) ==
        "w: \"10\": expected a whole number from 0 to 9");
  CHECK(Message(ParseCount("w", std::string(65, '7'), 0, 9).status()) ==
        "w: \"" + std::string(64, '7') + "...\": expected a whole number from 0 to 9");
}

TEST_CASE("Words: the group is read from a label too and the annotation wins") {
  LabelSet labels{{"gangplan.io/group", "from-label"}, {"gangplan.io/size", "7"}};
  GroupWords words = ReadWords({}, labels);
  CHECK(words.group == "from-label");
  CHECK_FALSE(words.size.has_value());
  words = ReadWords({{"gangplan.io/group", "from-annotation"}}, labels);
  CHECK(words.group == "from-annotation");
}

TEST_CASE("Words: each word by itself makes an object speak") {
  for (std::string_view key : {kGroupWord, kSizeWord, kPodSetWord, kPodSetsWord, kRankWord,
                               kRankLabelWord, kTopologyWord, kPlaceWord}) {
    CHECK(ReadWords({{std::string(key), "x"}}, {}).any());
  }
  CHECK_FALSE(ReadWords({{"gangplan.io/plan", "x"}}, {}).any());
}

TEST_CASE("Words: the first object wins word by word") {
  GroupWords first;
  first.size = "4";
  GroupWords second;
  second.size = "8";
  second.place = "rack=pack";
  GroupWords merged = MergeWords(first, second);
  CHECK(merged.size == "4");
  CHECK(merged.place == "rack=pack");
}

}  // namespace gangplan::place_test
