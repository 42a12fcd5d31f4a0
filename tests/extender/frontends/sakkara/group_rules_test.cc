// From Sakkara's constraints to rules of levels.
#include "extender/frontends/sakkara/group_rules.h"

#include "tests/support/catch.h"

namespace gangplan::group_rules_test {
namespace {

Topology RackAndNode() {
  return {"default", {{"rack", "example.com/rack"}, {"node", std::string(kHostnameLabel)}}};
}

LevelRules RulesOf(std::string_view constraints) {
  const auto group = ReadSakkaraGroup({{"constraints", std::string(constraints)}});
  REQUIRE(group.ok());
  return SakkaraLevelRules(group->rules, RackAndNode());
}

std::string TextOf(std::string_view constraints) {
  return SakkaraPlaceText(RulesOf(constraints), RackAndNode());
}

TEST_CASE("Group rules: every word is a rule of its level") {
  CHECK(TextOf(R"({"rack":{"type":"spread","partitions":4,"min":2,"max":8},)"
               R"("node":{"type":"pack","factor":2}})") ==
        "rack=spread partitions=4 min=2 max=8; node=pack factor=2");
  CHECK(TextOf(R"({"rack":{"type":"pack","hard":true}})") == "rack=pack!");
}

TEST_CASE("Group rules: no constraint and a soft pack are no rule") {
  CHECK(RulesOf("{}") == LevelRules(2));
  CHECK(RulesOf(R"({"rack":{"type":"pack"},"node":{}})") == LevelRules(2));
  CHECK(TextOf("{}").empty());
}

TEST_CASE("Group rules: levels that the topology lacks are ignored") {
  CHECK(TextOf(R"({"zone":{"type":"spread"},"node":{"type":"spread"}})") == "node=spread");
}

TEST_CASE("Group rules: what Sakkara drops beside hard is dropped") {
  CHECK(TextOf(R"({"rack":{"type":"spread","hard":true,"partitions":4,"factor":2}})") ==
        "rack=spread!");
}

TEST_CASE("Group rules: numbers beyond any group stay beyond any group") {
  CHECK(TextOf(R"({"node":{"partitions":9999999999,"factor":9223372036854775807}})") ==
        "node=pack partitions=2147483647 factor=2147483647");
}

}  // namespace
}  // namespace gangplan::group_rules_test
