#include <string>

#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::watch_event_test {
namespace {

using Type = WatchEvent::Type;

WatchEvent Event(std::string line, std::string_view kind) {
  absl::StatusOr<WatchEvent> event = DecodeWatchEvent(line, kind);
  INFO(ErrorOf(event));
  REQUIRE(event.ok());
  return *std::move(event);
}

TEST_CASE("A pod was added, modified, deleted") {
  const std::string rest =
      R"(,"object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"n",)"
      R"("uid":"u","resourceVersion":"8"},"spec":{"nodeName":"x"}}})";
  for (auto [word, type] :
       {std::pair("ADDED", Type::kAdded), std::pair("MODIFIED", Type::kModified),
        std::pair("DELETED", Type::kDeleted)}) {
    const WatchEvent event = Event(std::string("{\"type\":\"") + word + "\"" + rest, "Pod");
    CHECK(event.type == type);
    CHECK(event.name == "n/p");
    CHECK(event.resource_version == "8");
    CHECK(event.pod.uid == "u");
    CHECK(event.pod.node_name == "x");
    CHECK(event.bad.ok());
  }
}

TEST_CASE("A node, with the type last") {
  const WatchEvent event = Event(
      R"({"object":{"metadata":{"name":"n","resourceVersion":"9"},"spec":{"unschedulable":true}},)"
      R"("type":"ADDED"})",
      "Node");
  CHECK(event.name == "n");
  CHECK(event.node.unschedulable);
  CHECK(event.bad.ok());
}

TEST_CASE("A bookmark has nothing but a version") {
  const WatchEvent event =
      Event(R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{)"
            R"("resourceVersion":"99","creationTimestamp":null,"annotations":)"
            R"({"k8s.io/initial-events-end":"true"}},"spec":{"containers":null},"status":{}}})",
            "Pod");
  CHECK(event.type == Type::kBookmark);
  CHECK(event.resource_version == "99");
  CHECK(event.bad.ok());
}

TEST_CASE("An error has the code and the message of its Status") {
  const WatchEvent event =
      Event(R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},)"
            R"("status":"Failure","message":"too old resource version: 1 of 2","reason":"Expired",)"
            R"("details":{"causes":[]},"code":410}})",
            "Pod");
  CHECK(event.type == Type::kError);
  CHECK(event.error_code == 410);
  CHECK(event.error_message == "too old resource version: 1 of 2");
  CHECK(event.bad.ok());
}

TEST_CASE("A bad object still has its type, name and version") {
  const WatchEvent event =
      Event(R"({"type":"MODIFIED","object":{"spec":{"priority":"x","nodeName":7},)"
            R"("metadata":{"name":"p","namespace":"n","uid":"u","resourceVersion":"8"}}})",
            "Pod");
  CHECK(event.type == Type::kModified);
  CHECK(event.name == "n/p");
  CHECK(event.resource_version == "8");
  CHECK(Message(event.bad) == "object.spec.priority: expected a number, found a string");
}

TEST_CASE("What only shows at the end makes an object bad too") {
  CHECK(Message(Event(R"({"type":"ADDED","object":{"metadata":{"name":"p"}}})", "Pod").bad) ==
        "object: metadata.uid is missing");
  CHECK(Message(Event(R"({"type":"ADDED","object":{}})", "Node").bad) ==
        "object: metadata.name is missing");
  CHECK(Message(Event(R"({"type":"ADDED"})", "Node").bad) == "object: metadata.name is missing");
  CHECK(Message(Event(R"({"type":"ADDED","object":[]})", "Node").bad) ==
        "object: expected an object, found an array");
  CHECK(Message(Event(R"({"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"p"}}})", "Node")
                    .bad) == "object: expected kind Node, found Pod");
}

TEST_CASE("A ConfigMap was modified, and one that cannot be used still has its name") {
  const WatchEvent event =
      Event(R"({"type":"MODIFIED","object":{"kind":"ConfigMap","metadata":{"name":"g",)"
            R"("namespace":"n","uid":"u","resourceVersion":"8","labels":{"sakkara.group":""}},)"
            R"("data":{"status":"Bound"}}})",
            "ConfigMap");
  CHECK(event.bad.ok());
  CHECK(event.name == "n/g");
  CHECK(event.config_map ==
        ConfigMapFacts{"n", "g", "u", "8", {{"sakkara.group", ""}}, {{"status", "Bound"}}});
  const WatchEvent bad = Event(
      R"({"type":"DELETED","object":{"data":{"x":{}},"metadata":{"name":"g","namespace":"n"}}})",
      "ConfigMap");
  CHECK(bad.type == Type::kDeleted);
  CHECK(bad.name == "n/g");
  CHECK(Message(bad.bad) == "object.data.x: expected a string, found an object");
}

}  // namespace
}  // namespace gangplan::watch_event_test
