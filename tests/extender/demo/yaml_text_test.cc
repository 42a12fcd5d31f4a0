#include "extender/demo/yaml_text.h"

#include "extender/kube/yaml_json.h"
#include "tests/support/catch.h"
#include "topology/base/json_text.h"

namespace gangplan::yaml_text_test {
namespace {

template <typename Text>
std::string Write() {
  Text text;
  text.Begin().Field("kind", "List").Key("items").BeginList();
  text.Begin().Field("name", "a-1").Key("labels").Begin().Field("b/c", "true").Field("d", "12");
  text.End().Key("none").Begin().End().Key("nobody").BeginList().EndList().End();
  text.Begin().Field("number", int64_t{-7}).Field("truth", true).Field("text", "a: \"b\"\n").End();
  text.Value("plain").BeginList().Value("x").Value("").EndList();
  text.EndList().Field("last", "null").End();
  return text.Take();
}

TEST_CASE("YAML is written in block style") {
  CHECK(Write<YamlText>() ==
        "kind: List\n"
        "items:\n"
        "- name: a-1\n"
        "  labels:\n"
        "    b/c: \"true\"\n"
        "    d: \"12\"\n"
        "  none: {}\n"
        "  nobody: []\n"
        "- number: -7\n"
        "  truth: true\n"
        "  text: \"a: \\\"b\\\"\\n\"\n"
        "- plain\n"
        "- - x\n"
        "  - \"\"\n"
        "last: \"null\"\n");
}

TEST_CASE("YAML and JSON are read as the same value") {
  const auto yaml = ParseYaml(Write<YamlText>(), kKubernetesYaml, "");
  const auto json = ParseYaml(Write<JsonText>(), kKubernetesYaml, "");
  REQUIRE(yaml.ok());
  REQUIRE(json.ok());
  REQUIRE(yaml->size() == 1);
  CHECK(ToJson(yaml->front()) == ToJson(json->front()));
}

TEST_CASE("Text that YAML might take for something else stands in quotes") {
  for (const char* word : {"yes", "No", "ON", "off", "y", "Null", "1e3", ".5", "-", "~", "a b"}) {
    YamlText text;
    text.Begin().Field("k", word).End();
    CHECK(text.Take() == std::string("k: \"") + word + "\"\n");
  }
}

}  // namespace
}  // namespace gangplan::yaml_text_test
