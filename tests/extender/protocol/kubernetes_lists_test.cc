#include <string>
#include <vector>

#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::kubernetes_lists_test {
namespace {

ObjectList List(std::string text, std::string_view default_kind) {
  absl::StatusOr<ObjectList> list = DecodeList(text, default_kind);
  INFO(ErrorOf(list));
  REQUIRE(list.ok());
  return *std::move(list);
}

TEST_CASE("A list of nodes, whose items have no kind") {
  const ObjectList list =
      List(R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"17",)"
           R"("continue":"token","remainingItemCount":3},"items":[{"metadata":{"name":"b"},)"
           R"("spec":{"unschedulable":true}},{"metadata":{"name":"a"}}]})",
           "Node");
  CHECK(list.resource_version == "17");
  CHECK(list.continue_token == "token");
  REQUIRE(list.nodes.size() == 2);
  CHECK(list.nodes[0].name == "b");
  CHECK(list.nodes[0].unschedulable);
  CHECK(list.nodes[1].name == "a");
  CHECK_FALSE(list.nodes[1].unschedulable);
  CHECK(list.pods.empty());
  CHECK(list.bad.empty());
}

TEST_CASE("A list of pods") {
  const ObjectList list =
      List(R"({"metadata":{"resourceVersion":"18"},"items":[)"
           R"({"metadata":{"name":"p","uid":"1","labels":{"a":"b"}},"spec":{"nodeName":"n"}},)"
           R"({"metadata":{"name":"q","uid":"2"}}]})",
           "Pod");
  CHECK(list.continue_token.empty());
  REQUIRE(list.pods.size() == 2);
  CHECK(list.pods[0].node_name == "n");
  CHECK(list.pods[1].node_name.empty());
  CHECK(list.pods[1].labels.empty());
}

TEST_CASE("A mixed list, with the kind before or after the rest, and other kinds") {
  const ObjectList list = List(
      R"({"apiVersion":"v1","items":[{"kind":"Node","metadata":{"name":"n"}},)"
      R"({"metadata":{"name":"p","uid":"1"},"spec":{"containers":[]},"kind":"Pod"},)"
      R"({"kind":"Service","metadata":{"name":"s"},"spec":{"containers":7}},)"
      R"({"kind":"Namespace","metadata":{"name":"x"},"status":{"phase":"Active"}}],"kind":"List"})",
      "");
  REQUIRE(list.nodes.size() == 1);
  CHECK(list.nodes[0].name == "n");
  REQUIRE(list.pods.size() == 1);
  CHECK(list.pods[0].name == "p");
  CHECK(list.bad.empty());
}

TEST_CASE("No items, and null ones, are an empty list") {
  for (std::string_view items :
       {R"("items":[])", R"("items":null)", R"("x":1)", R"("items":[null])"}) {
    const ObjectList list = List(fmt::format("{{{}}}", items), "Pod");
    CHECK(list.pods.empty());
    CHECK(list.bad.empty());
  }
}

TEST_CASE("Bad items are named and the others delivered") {
  const ObjectList list =
      List(R"({"items":[{"metadata":{"name":"a","namespace":"n","uid":"1"}},)"
           R"({"metadata":{"name":"b","namespace":"n","uid":"2"},"spec":{"containers":[{},)"
           R"({"resources":{"requests":{"cpu":"x"}}}]}},)"
           R"({"spec":{"priority":"high"},"metadata":{"name":"c","namespace":"n","uid":"3"}},)"
           R"({"metadata":{"uid":"4"}},7,{"metadata":{"name":"d"}},)"
           R"({"metadata":{"name":"e","uid":"5"},"status":{"phase":"Gone"}},)"
           R"({"metadata":{"name":"f","uid":"6"},"spec":{"nodeName":"z"}}]})",
           "Pod");
  REQUIRE(list.pods.size() == 2);
  CHECK(list.pods[0].name == "a");
  CHECK(list.pods[1].name == "f");
  std::vector<std::string> bad;
  for (const BadItem& item : list.bad) bad.push_back(item.name + ": " + Message(item.status));
  CHECK(bad ==
        std::vector<std::string>{
            "n/b: items[1].spec.containers[1].resources.requests.cpu: quantity \"x\": a "
            "digit is missing",
            "n/c: items[2].spec.priority: expected a number, found a string",
            "items[3]: items[3]: metadata.name is missing",
            "items[4]: items[4]: expected an object, found a number",
            "d: items[5]: metadata.uid is missing",
            "default/e: items[6]: status.phase: expected Pending, Running, Succeeded, Failed or "
            "Unknown, found 'Gone'"});
}

TEST_CASE("An item without a kind in a mixed list is bad") {
  const ObjectList list = List(R"({"items":[{"metadata":{"name":"a"}}]})", "");
  REQUIRE(list.bad.size() == 1);
  CHECK(list.bad[0].name == "a");
  CHECK(Message(list.bad[0].status) == "items[0]: kind is missing");
}

TEST_CASE("A list of ConfigMaps, whose items have no kind") {
  const ObjectList list =
      List(R"({"metadata":{"resourceVersion":"17"},"items":[)"
           R"({"metadata":{"name":"g","namespace":"n","uid":"u","resourceVersion":"9",)"
           R"("labels":{"sakkara.group":"x"}},"data":{"size":"8"}},)"
           R"({"data":{"size":8},"metadata":{"name":"h","namespace":"n"}},)"
           R"({"metadata":{"name":"i","namespace":"n"}}]})",
           "ConfigMap");
  REQUIRE(list.config_maps.size() == 2);
  CHECK(list.config_maps[0] ==
        ConfigMapFacts{"n", "g", "u", "9", {{"sakkara.group", "x"}}, {{"size", "8"}}});
  CHECK(list.config_maps[1].name == "i");
  REQUIRE(list.bad.size() == 1);
  CHECK(list.bad[0].name == "n/h");
  CHECK(Message(list.bad[0].status) == "items[1].data.size: expected a string, found a number");
}

TEST_CASE("Of the ConfigMaps in a mixed list those with a label of Sakkara's are ours") {
  const ObjectList list =
      List(R"({"items":[{"kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":1}},)"
           R"({"kind":"ConfigMap","metadata":{"name":"b","labels":{"sakkara.groups":""}}},)"
           R"({"kind":"Secret","metadata":{"name":"c","labels":{"sakkara.group":""}},"data":7},)"
           R"({"data":{"x":"y"},"metadata":{"name":"d","labels":{"sakkara.group":""}},)"
           R"("kind":"ConfigMap"},)"
           R"({"kind":"ConfigMap","metadata":{"name":"e","labels":{"sakkara.topology":"z"}}},)"
           R"({"data":{"x":1},"kind":"ConfigMap","metadata":{"name":"f",)"
           R"("labels":{"sakkara.group":""}}}]})",
           "");
  REQUIRE(list.config_maps.size() == 2);
  CHECK(list.config_maps[0].name == "d");
  CHECK(list.config_maps[0].data == LabelSet{{"x", "y"}});
  CHECK(list.config_maps[1].name == "e");
  REQUIRE(list.bad.size() == 1);
  CHECK(list.bad[0].name == "f");
}

}  // namespace
}  // namespace gangplan::kubernetes_lists_test
