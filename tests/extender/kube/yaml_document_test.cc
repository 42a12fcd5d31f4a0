#include "extender/kube/yaml_document.h"

#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

std::string Json(std::string_view yaml) {
  auto documents = ParseYaml(yaml);
  if (!documents.ok()) return Message(documents.status());
  return documents->size() == 1 ? ToJson(documents->front()) : "not one document";
}

TEST_CASE("YAML becomes the JSON that it means") {
  CHECK(Json("a: [1, -2.5e3, x]\nb: {c: null, d: ~, e: true, f: False}\n") ==
        R"({"a":[1,-2.5e3,"x"],"b":{"c":null,"d":null,"e":true,"f":false}})");
  CHECK(Json("a: \"1\"\nb: 'true'\nc: |\n  12\nd: ''\n") ==
        R"({"a":"1","b":"true","c":"12\n","d":""})");
  CHECK(Json("a: 0755\nb: 1_000\nc: 0x1f\nd: 1.\ne: .5\nf: yes\ng: 1Gi\nh: -x\n") ==
        R"({"a":"0755","b":"1_000","c":"0x1f","d":"1.","e":".5","f":"yes","g":"1Gi","h":"-x"})");
  CHECK(Json("a: 2027-01-15T08:00:00Z\nb: 0\nc: 1e\nd: 1e+5\n") ==
        R"({"a":"2027-01-15T08:00:00Z","b":0,"c":"1e","d":1e+5})");
  CHECK(Json("x: &a [1]\ny: *a\n") == R"({"x":[1],"y":[1]})");
}

TEST_CASE("values know their line") {
  auto documents = ParseYaml("a: 1\nb:\n  c: 2\n---\nd: 3\n");
  REQUIRE(documents.ok());
  REQUIRE(documents->size() == 2);
  CHECK((*documents)[0].Find("b")->Find("c")->line == 3);
  CHECK((*documents)[1].Find("d")->line == 5);
  CHECK((*documents)[0].Find("x") == nullptr);
}

TEST_CASE("what is not YAML is refused with its place") {
  CHECK(Json("a: 1\na: 2\n") == "line 2, column 1: the key \"a\" is repeated");
  CHECK(Json("a: 1\n[x]: 2\n") == "line 2, column 1: a key must be a text");
  CHECK(ParseYaml("a: [1\nb: 2").status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(Json("a: \"open").starts_with("line 1, column"));
}

TEST_CASE("depth and number of values have limits") {
  const std::string nested = "[[[1]]]";
  CHECK(ParseYaml(nested, 3, 100).ok());
  CHECK(Message(ParseYaml(nested, 2, 100).status()) == "line 1: nested deeper than 2");
  CHECK(ParseYaml(nested, 3, 4).ok());
  CHECK(Message(ParseYaml(nested, 3, 3).status()) == "too many values");
  const std::string deep = std::string(kMaxYamlDepth, '[') + "1" + std::string(kMaxYamlDepth, ']');
  CHECK(ParseYaml(deep).ok());
  CHECK(Message(ParseYaml("[" + deep + "]").status()) == "line 1: nested deeper than 64");
}

TEST_CASE("aliases of aliases run into the limit instead of memory") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i <= 12; ++i) {
    bomb += fmt::format(
        "a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i,
        i - 1);
  }
  CHECK(absl::IsResourceExhausted(ParseYaml(bomb, kMaxYamlDepth, 100'000).status()));
}

}  // namespace
}  // namespace gangplan
