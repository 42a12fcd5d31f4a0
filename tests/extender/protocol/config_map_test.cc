#include "extender/protocol/config_map.h"

#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::config_map_test {
namespace {

ConfigMapFacts Decode(std::string text) {
  const auto facts = DecodeConfigMap(text);
  REQUIRE(ErrorOf(facts) == "");
  return *facts;
}

TEST_CASE("A ConfigMap gives its name, labels and data") {
  const ConfigMapFacts facts = Decode(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"group-a","namespace":"team",)"
      R"("uid":"u","resourceVersion":"7","labels":{"sakkara.group":""}},)"
      R"("data":{"size":"8","constraints":"{\"node\":{}}\n","size":"9","gone":null},)"
      R"("binaryData":{"x":"AA=="}})");
  CHECK(facts.ns == "team");
  CHECK(facts.name == "group-a");
  CHECK(facts.uid == "u");
  CHECK(facts.resource_version == "7");
  CHECK(facts.labels == LabelSet{{"sakkara.group", ""}});
  CHECK(facts.data == LabelSet{{"constraints", "{\"node\":{}}\n"}, {"size", "9"}});
}

TEST_CASE("A ConfigMap of a list has no kind, one of a file may have no namespace") {
  const ConfigMapFacts facts = Decode(R"({"metadata":{"name":"x"}})");
  CHECK(facts.ns == "default");
  CHECK(facts.data.empty());
}

}  // namespace
}  // namespace gangplan::config_map_test
