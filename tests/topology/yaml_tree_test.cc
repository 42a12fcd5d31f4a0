#include "topology/base/yaml_tree.h"

#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::yaml_tree_test {
namespace {

constexpr YamlRules kWide = {1'000'000, 64, 100'000, true, false};

std::string ErrorOf(std::string_view yaml, const YamlRules& rules = kWide) {
  return Message(ParseYaml(yaml, rules, "f:").status());
}

YamlNode Parsed(std::string_view yaml, const YamlRules& rules = kWide) {
  absl::StatusOr<std::vector<YamlNode>> documents = ParseYaml(yaml, rules, "f:");
  INFO(Message(documents.status()));
  REQUIRE(documents.ok());
  REQUIRE(documents->size() == 1);
  return std::move(documents->front());
}

TEST_CASE("YAML nodes know their line, and whether they stood in quotes") {
  const YamlNode root = Parsed("a: 1\nb:\n  c: '2'\n  d: |\n    x\n");
  CHECK(root.Find("a")->text == "1");
  CHECK(!root.Find("a")->quoted);
  CHECK(root.Find("b")->key_line == 2);
  CHECK(root.Find("b")->line == 3);
  CHECK(root.Find("b")->Find("c")->line == 3);
  CHECK(root.Find("b")->Find("c")->quoted);
  CHECK(root.Find("b")->Find("d")->quoted);
  CHECK(root.Find("x") == nullptr);
  CHECK(root.Find("a")->Find("1") == nullptr);
}

TEST_CASE("Each document of YAML is a node") {
  const auto documents = ParseYaml("a: 1\n---\n- b\n", kWide, "f:");
  REQUIRE(documents.ok());
  REQUIRE(documents->size() == 2);
  CHECK((*documents)[1].line == 3);
  CHECK((*documents)[1].items[0].text == "b");
  CHECK(ParseYaml("", kWide, "f:")->empty());
}

TEST_CASE("What is not YAML is refused with its line") {
  CHECK(ErrorOf("a: [1\nb: 2").starts_with("f:2: not YAML: "));
  CHECK(ErrorOf("a: \"open").starts_with("f:1: not YAML: "));
  CHECK(ErrorOf("a: 1\n[x]: 2\n") == "f:2: a key must be text");
  CHECK(ErrorOf("a: !word 1\n") == "f:1: tags (!name) are not accepted");
}

TEST_CASE("YAML that holds no value where one must begin ends at once") {
  for (const char* yaml : {",a", ", ", "a: 1\n---\n,\n", "]", "}"}) {
    INFO(yaml);
    const std::string error = ErrorOf(yaml);
    CHECK((error.ends_with(": no value can begin here") || error.find("not YAML") < 6));
  }
  CHECK(ErrorOf("\n,a") == "f:2: no value can begin here");
}

TEST_CASE("Repeated YAML keys are refused or kept") {
  CHECK(ErrorOf("a: 1\nb: {a: 2}\na: 2\n") == "f:3: the key \"a\" is repeated");
  YamlRules keeps = kWide;
  keeps.repeated_keys = true;
  const YamlNode root = Parsed("a: 1\na: 2\n", keeps);
  REQUIRE(root.items.size() == 2);
  CHECK(root.items[1].text == "2");
  CHECK(root.Find("a")->text == "1");
}

TEST_CASE("YAML aliases stand for their anchors' values or are refused") {
  const YamlNode root = Parsed("x: &a [1, {k: v}]\ny: *a\n");
  REQUIRE(root.Find("y")->items.size() == 2);
  CHECK(root.Find("y")->items[1].Find("k")->text == "v");
  CHECK(ErrorOf("x: &a [*a]\n") == "f:1: an alias within what it stands for");
  YamlRules refuses = kWide;
  refuses.aliases = false;
  CHECK(ErrorOf("x: &a 1\ny: *a\n", refuses) == "f:1: anchors (&name) are not accepted");
  CHECK(ErrorOf("x: &a\ny: 1\n", refuses) == "f:1: anchors (&name) are not accepted");
}

// Room for exactly `nodes` keys and values, and for one less.
void CheckNodes(std::string_view yaml, size_t nodes) {
  YamlRules rules = kWide;
  rules.max_nodes = nodes;
  INFO(yaml);
  CHECK(ErrorOf(yaml, rules) == "");
  rules.max_nodes = nodes - 1;
  CHECK(ErrorOf(yaml, rules).ends_with(fmt::format("more than {} keys and values", nodes - 1)));
}

TEST_CASE("Keys, values and what aliases stand for are counted in YAML") {
  CheckNodes("1", 1);
  CheckNodes("[[[1]]]", 4);
  CheckNodes("a: {b: 1, c: ~}", 7);
  CheckNodes("- 1\n---\n- 2\n", 4);
  CheckNodes("[&x [1], *x]", 7);  // the anchor's list of two is kept aside and stands twice
}

TEST_CASE("Bytes and depth of YAML are limited") {
  YamlRules rules = kWide;
  rules.max_depth = 3;
  CHECK(ErrorOf("[{a: [1]}]", rules) == "");
  CHECK(ErrorOf("[{a: [[]]}]", rules) == "f:1: more than 3 maps and lists inside one another");
  rules.max_bytes = 4;
  CHECK(ErrorOf("a: 1", rules) == "");
  CHECK(ErrorOf("a: 12", rules) == "f:1: the file is larger than 4 bytes");
}

TEST_CASE("Aliases of aliases run into the limit instead of memory") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i <= 12; ++i) {
    bomb += fmt::format(
        "a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i,
        i - 1);
  }
  CHECK(ErrorOf(bomb) == "f:5: more than 100000 keys and values");
}

}  // namespace
}  // namespace gangplan::yaml_tree_test
