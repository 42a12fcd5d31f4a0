// The forms of answers for programs: YAML says what JSON says.
#include "extender/cli/form.h"

#include "extender/kube/yaml_json.h"
#include "tests/support/catch.h"

namespace gangplan::form_test {
namespace {

TEST_CASE("Form: YAML is read back as the JSON that it was made of") {
  const std::string json =
      R"({"a":"text","b":"true","c":true,"d":7,"e":-0.5,"f":null,"g":[],"h":{},"i":[1,"1",[2,{"k":)"
      R"("v"}]],"j":{"k":{"l":"no"}},"m":"# \"quoted\" \\ ","n":"","o":"2026-01-02","p":"a: b"})";
  const std::string yaml = ForPrograms(Form::kYaml, json);
  CHECK(yaml.starts_with("a: text\nb: \"true\"\nc: true\nd: 7\n"));
  const auto documents = ParseYaml(yaml, kKubernetesYaml, "");
  REQUIRE(documents.ok());
  REQUIRE(documents->size() == 1);
  CHECK(ToJson(documents->front()) == json);
}

TEST_CASE("Form: what would command a terminal is escaped in either form") {
  const std::string json = "{\"a\":\"\\u001b[2J\u202e\"}";
  CHECK(ForPrograms(Form::kJson, json) == "{\"a\":\"\\u001b[2J\\u202e\"}\n");
  CHECK(ForPrograms(Form::kYaml, json) == "a: \"\\u001b[2J\\u202e\"\n");
}

TEST_CASE("Form: an answer with CRLF between its values stays JSON") {
  CHECK(ForPrograms(Form::kJson, "{\r\n\"groups\":[]}") == "{\n\"groups\":[]}\n");
  CHECK(ForPrograms(Form::kJson, "{\"a\\\"\":\"\\\\\",\r\"b\":\"x\ry\"}\r\n") ==
        "{\"a\\\"\":\"\\\\\",\"b\":\"x\\u000dy\"}\n\n");
}

TEST_CASE("Form: words are read, and others refused with those that there are") {
  Form form = Form::kText;
  const Option option = FormOption(form, "more");
  CHECK(option.value == "text|wide|json|yaml");
  CHECK(option.read("yaml").ok());
  CHECK(form == Form::kYaml);
  CHECK_FALSE(option.read("xml").ok());
  CHECK(form == Form::kYaml);
}

}  // namespace
}  // namespace gangplan::form_test
