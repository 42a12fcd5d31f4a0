#include <string>
#include <vector>

#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::preempt_and_bind_test {
namespace {

using Uids = std::vector<std::string>;

PreemptRequest Preempt(std::string_view rest) {
  std::string body = FilterText(rest);
  absl::StatusOr<PreemptRequest> request = DecodePreemptRequest(body);
  INFO(ErrorOf(request));
  REQUIRE(request.ok());
  return *request;
}

TEST_CASE("Victims by UID: nodes in order of their names, victims as given") {
  const PreemptRequest request =
      Preempt(R"("NodeNameToVictims":null,"NodeNameToMetaVictims":{)"
              R"("b":{"Pods":[{"UID":"2"},{"UID":"1"}],"NumPDBViolations":1},)"
              R"("a":{"Pods":[{"UID":"3"}],"NumPDBViolations":0}})");
  CHECK(request.pod.uid == "u");
  REQUIRE(request.nodes.size() == 2);
  CHECK(request.nodes[0].node == "a");
  CHECK(request.nodes[0].victim_uids == Uids{"3"});
  CHECK(request.nodes[0].pdb_violations == 0);
  CHECK(request.nodes[1].node == "b");
  CHECK(request.nodes[1].victim_uids == Uids{"2", "1"});
  CHECK(request.nodes[1].pdb_violations == 1);
}

TEST_CASE("Victims as whole pods") {
  const PreemptRequest request =
      Preempt(R"("NodeNameToVictims":{"a":{"Pods":[{"metadata":{"name":"v","uid":"7"},"spec":{}}],)"
              R"("NumPDBViolations":2}},"NodeNameToMetaVictims":null)");
  REQUIRE(request.nodes.size() == 1);
  CHECK(request.nodes[0].node == "a");
  CHECK(request.nodes[0].victim_uids == Uids{"7"});
  CHECK(request.nodes[0].pdb_violations == 2);
}

TEST_CASE("Empty and null lists of victims are nodes without victims") {
  for (std::string_view pods : {"[]", "null"}) {
    for (std::string_view form : {"NodeNameToVictims", "NodeNameToMetaVictims"}) {
      const PreemptRequest request =
          Preempt(fmt::format(R"("{}":{{"a":{{"Pods":{},"NumPDBViolations":0}}}})", form, pods));
      REQUIRE(request.nodes.size() == 1);
      CHECK(request.nodes[0].victim_uids.empty());
    }
  }
}

TEST_CASE("Both forms null, or empty, are no nodes") {
  CHECK(Preempt(R"("NodeNameToVictims":null,"NodeNameToMetaVictims":null)").nodes.empty());
  CHECK(Preempt(R"("NodeNameToMetaVictims":{})").nodes.empty());
  CHECK(Preempt(R"("NodeNameToMetaVictims":{"a":null})").nodes.empty());
}

TEST_CASE("When both forms are given the UIDs count") {
  const PreemptRequest request =
      Preempt(R"("NodeNameToVictims":{"a":{"Pods":[{"metadata":{"uid":"1"}}]}},)"
              R"("NodeNameToMetaVictims":{"b":{"Pods":[{"UID":"2"}]}})");
  REQUIRE(request.nodes.size() == 1);
  CHECK(request.nodes[0].node == "b");
}

TEST_CASE("Of equal nodes and equal keys the last one counts") {
  const PreemptRequest request =
      Preempt(R"("nodenametometavictims":{"a":{"pods":[{"uid":"1"}],"PODS":[{"Uid":"2"}]},)"
              R"("b":{},"a":{"Pods":[{"UID":"3"}],"numpdbviolations":4}})");
  REQUIRE(request.nodes.size() == 2);
  CHECK(request.nodes[0].victim_uids == Uids{"3"});
  CHECK(request.nodes[0].pdb_violations == 4);
  CHECK(Preempt(R"("NodeNameToMetaVictims":{"a":{}},"NodeNameToMetaVictims":null)").nodes.empty());
}

TEST_CASE("A bind request in any case of its keys") {
  for (std::string body :
       {R"({"PodName":"p","PodNamespace":"n","PodUID":"u","Node":"x"})",
        R"({"podname":"p","podnamespace":"n","poduid":"u","node":"x","other":[1]})",
        R"({"NODE":"y","Node":"x","PodName":"p","PodNamespace":"n","PodUID":"u","PodUID":null})"}) {
    absl::StatusOr<BindRequest> request = DecodeBindRequest(body);
    INFO(ErrorOf(request));
    REQUIRE(request.ok());
    CHECK(request->pod_name == "p");
    CHECK(request->pod_namespace == "n");
    CHECK(request->pod_uid == "u");
    CHECK(request->node == "x");
  }
}

}  // namespace
}  // namespace gangplan::preempt_and_bind_test
