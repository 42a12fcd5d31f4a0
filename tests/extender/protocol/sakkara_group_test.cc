#include "extender/protocol/sakkara_group.h"
#include "fmt/format.h"

#include <algorithm>

#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::sakkara_group_test {
namespace {

using Lines = std::vector<std::string>;

SakkaraGroup Read(LabelSet data) {
  std::sort(data.begin(), data.end());
  const auto group = ReadSakkaraGroup(data);
  REQUIRE(ErrorOf(group) == "");
  return *group;
}

// The group with these constraints and a size of 2.
SakkaraGroup WithConstraints(std::string constraints) {
  return Read({{"name", "a"}, {"size", "2"}, {"constraints", std::move(constraints)}});
}

SakkaraRule NodeRule(const std::string& constraint) {
  return SakkaraRuleOf(WithConstraints("{\"node\":" + constraint + "}").rules, "node");
}

SakkaraRule Rule(bool spread, bool hard = false, std::optional<SakkaraRange> range = {},
                 std::optional<int64_t> partitions = {}, int64_t factor = 1) {
  return {spread, hard, range, partitions, factor};
}

TEST_CASE("A group says its name, size, priority and a rule a level") {
  const SakkaraGroup group =
      Read({{"name", "a"},
            {"size", "8"},
            {"priority", "5"},
            {"constraints", R"({"rack":{"type":"pack"},)"
                            R"("node":{"type":"spread","min":2,"max":4,"weight":3}})"},
            {"status", "Bound"},
            {"rank", "[(p,0)]"}});
  CHECK(group.name == "a");
  CHECK(group.size == 8);
  CHECK(group.priority == 5);
  CHECK(group.rules ==
        SakkaraRules{{"node", Rule(true, false, SakkaraRange{2, 4})}, {"rack", Rule(false)}});
  CHECK(group.notes.empty());
  CHECK(SakkaraRuleOf(group.rules, "chassis") == SakkaraRule{});
  CHECK(SakkaraGroupKey("team", group.name) == "team/a");
}

TEST_CASE("What a group leaves out has Sakkara's defaults") {
  for (const char* none : {"{}", " { } ", "null", R"({"node":null})"}) {
    const SakkaraGroup group = Read({{"constraints", none}});
    CHECK(group.name == "default-group");
    CHECK(group.size == 1);
    CHECK(group.priority == 0);
    CHECK(group.rules.empty());
    CHECK(group.notes.empty());
  }
  CHECK(Read({{"constraints", "{}"}, {"name", ""}}).name == "default-group");
}

TEST_CASE("Size and priority are Go's decimal numbers, else the default") {
  const auto numbers = [](const char* text) {
    const SakkaraGroup group = Read({{"constraints", "{}"}, {"size", text}, {"priority", text}});
    CHECK(group.notes.size() % 2 == 0);
    return std::pair(group.size, group.priority);
  };
  using Pair = std::pair<int64_t, int64_t>;
  CHECK(numbers("0") == Pair(0, 0));
  CHECK(numbers("+12") == Pair(12, 12));
  CHECK(numbers("-3") == Pair(-3, -3));
  CHECK(numbers("007") == Pair(7, 7));
  CHECK(numbers("9223372036854775807") == Pair(INT64_MAX, INT64_MAX));
  for (const char* text :
       {"", "eight", " 8", "8 ", "8.0", "1e3", "0x8", "+-8", "9223372036854775808"})
    CHECK(numbers(text) == Pair(1, 0));
  CHECK(Read({{"constraints", "{}"}, {"size", "eight"}, {"priority", "high\n"}}).notes ==
        Lines{"size: 'eight' is read as 1, expected a whole number",
              "priority: 'high?' is read as 0, expected a whole number"});
}

TEST_CASE("Spread is written exactly so, all else is pack") {
  CHECK(NodeRule(R"({"type":"spread"})").spread);
  for (const char* type : {"pack", "Spread", "SPREAD", " spread", "", "partition"})
    CHECK(!NodeRule(fmt::format(R"({{"type":"{}"}})", type)).spread);
  CHECK(NodeRule(R"({"Type":"spread","HARD":true})") == Rule(true, true));
  CHECK(WithConstraints(R"({"node":{"type":"Spread"}})").notes ==
        Lines{"constraints.node: type 'Spread' is read as pack, expected pack or spread"});
}

TEST_CASE("A range needs both ends above zero and in order") {
  const auto range = [](const char* ends) { return NodeRule(ends).range; };
  CHECK(range(R"({"min":2,"max":4})") == SakkaraRange{2, 4});
  CHECK(range(R"({"min":3,"max":3})") == SakkaraRange{3, 3});
  for (const char* ends :
       {R"({"min":2})", R"({"max":2})", R"({"min":0,"max":4})", R"({"min":-1,"max":4})",
        R"({"min":4,"max":3})", R"({"min":-4,"max":-3})"})
    CHECK(range(ends) == std::nullopt);
  CHECK(WithConstraints(R"({"node":{"min":2}})").notes ==
        Lines{"constraints.node: min 2 and max 0 are ignored, expected both above 0 and min at "
              "most max"});
}

TEST_CASE("Partitions are above zero, a factor above one") {
  CHECK(NodeRule(R"({"partitions":1})").partitions == 1);
  CHECK(NodeRule(R"({"partitions":0})").partitions == std::nullopt);
  CHECK(NodeRule(R"({"partitions":-1})").partitions == std::nullopt);
  CHECK(NodeRule(R"({"factor":2})").factor == 2);
  CHECK(NodeRule(R"({"factor":2})").factor_used());
  for (const char* factor : {R"({"factor":1})", R"({"factor":0})", R"({"factor":-2})", "{}"}) {
    CHECK(NodeRule(factor).factor == 1);
    CHECK(!NodeRule(factor).factor_used());
  }
  CHECK(WithConstraints(R"({"node":{"partitions":-1,"factor":-2}})").notes ==
        Lines{"constraints.node: partitions -1 is ignored, expected a number above 0",
              "constraints.node: factor -2 is ignored, expected a number above 1"});
}

TEST_CASE("Hard leaves range, partitions and factor out") {
  const SakkaraGroup group = WithConstraints(
      R"({"node":{"type":"spread","hard":true,"partitions":2,"min":1,"max":3,"factor":2},)"
      R"("rack":{"hard":true}})");
  const SakkaraRule& node = SakkaraRuleOf(group.rules, "node");
  CHECK(node == Rule(true, true, {}, {}, 2));
  CHECK(!node.factor_used());
  CHECK(SakkaraRuleOf(group.rules, "rack") == Rule(false, true));
  CHECK(group.notes ==
        Lines{"constraints.node: min, max, partitions and factor are ignored beside hard"});
}

TEST_CASE("Of two rules for one level the last one stands alone") {
  const SakkaraGroup group =
      WithConstraints(R"({"node":{"type":"spread","factor":-1},"node":{"factor":4}})");
  CHECK(group.rules == SakkaraRules{{"node", Rule(false, false, {}, {}, 4)}});
  CHECK(group.notes.empty());
}

TEST_CASE("A pod's labels say its group, and what the group asks") {
  LabelSet labels = {{"sakkara.group.name", "a"},
                     {"sakkara.group.size", "8"},
                     {"sakkara.group.constraint.type.rack", "spread"},
                     {"sakkara.group.constraint.partitions.rack", "2"},
                     {"sakkara.group.constraint.min.node", "2"},
                     {"sakkara.group.constraint.max.node", "4"},
                     {"sakkara.group.constraint.factor.a.b/c", "2"},
                     {"sakkara.member.status", "Bound"}};
  std::sort(labels.begin(), labels.end());
  const auto pod = ReadSakkaraPod(labels);
  REQUIRE(pod.has_value());
  CHECK(pod->group == "a");
  CHECK(pod->size == 8);
  CHECK(pod->rules == SakkaraRules{{"a.b/c", Rule(false, false, {}, {}, 2)},
                                   {"node", Rule(false, false, SakkaraRange{2, 4})},
                                   {"rack", Rule(true, false, {}, 2)}});
  CHECK(pod->notes.empty());
}

TEST_CASE("A pod without the name of a group is no member, one with it alone is") {
  CHECK(ReadSakkaraPod({}) == std::nullopt);
  CHECK(ReadSakkaraPod({{"sakkara.group.name", ""}}) == std::nullopt);
  CHECK(ReadSakkaraPod({{"sakkara.group.size", "8"}}) == std::nullopt);
  const auto pod = ReadSakkaraPod({{"sakkara.group.name", "a"}});
  CHECK(pod == SakkaraPod{"a", std::nullopt, {}, {}});
}

TEST_CASE("Wrong words on a pod are ignored and told") {
  LabelSet labels = {{"sakkara.group.name", "a"},
                     {"sakkara.group.size", "many"},
                     {"sakkara.group.constraint.type", "spread"},
                     {"sakkara.group.constraint.hard.node", "true"},
                     {"sakkara.group.constraint.max.node", "two"},
                     {"sakkara.group.constraint.min.node", "2"}};
  std::sort(labels.begin(), labels.end());
  const auto pod = ReadSakkaraPod(labels);
  REQUIRE(pod.has_value());
  CHECK(pod->size == std::nullopt);
  CHECK(pod->rules == SakkaraRules{{"node", Rule(false)}});
  const Lines notes = {
      "sakkara.group.size: 'many' is ignored, expected a whole number",
      "sakkara.group.constraint.hard.node is ignored, expected type, partitions, min, max or "
      "factor",
      "sakkara.group.constraint.max.node: 'two' is ignored, expected a whole number",
      "sakkara.group.constraint.type is ignored, expected a level at its end",
      "sakkara.group.constraint.*.node: min 2 and max 0 are ignored, expected both above 0 and min "
      "at most max"};
  CHECK(pod->notes == notes);
}

}  // namespace
}  // namespace gangplan::sakkara_group_test
