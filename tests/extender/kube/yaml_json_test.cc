#include "extender/kube/yaml_json.h"

#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::yaml_json_test {
namespace {

std::string Json(std::string_view yaml) {
  auto documents = ParseYaml(yaml, kKubernetesYaml, "line ");
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

TEST_CASE("a saved cluster nests as deep as Kubernetes objects may") {
  const std::string deep = std::string(kMaxYamlDepth, '[') + "1" + std::string(kMaxYamlDepth, ']');
  CHECK(Json(deep) == deep);
  CHECK(Json("[" + deep + "]") == "line 1: more than 64 maps and lists inside one another");
}

}  // namespace
}  // namespace gangplan::yaml_json_test
