// Requests as kube-scheduler 1.36 sent them (golden/), and the replies to them.

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "extender/protocol/scheduler_reply.h"
#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::golden_test {
namespace {

using Views = std::vector<std::string_view>;

std::string Golden(std::string_view name) {
  std::ifstream file(
      fmt::format("{}/tests/extender/protocol/golden/{}", GANGPLAN_SOURCE_DIR, name));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  REQUIRE(!text.empty());
  return text;
}

template <typename Value>
const Value& Taken(const absl::StatusOr<Value>& value) {
  INFO(ErrorOf(value));
  REQUIRE(value.ok());
  return *value;
}

TEST_CASE("The pod of an indexed job, offered by name") {
  std::string body = Golden("filter-names-job.json");
  const auto request = DecodeFilterRequest(body);
  const PodFacts& pod = Taken(request).pod;
  CHECK(pod.ns == "default");
  CHECK(pod.name == "trainer-0-wnt7x");
  CHECK(pod.uid == "b8fe9c98-338f-4830-86a2-9f484ff891ed");
  CHECK(pod.scheduler_name == "gangplan");
  CHECK(pod.phase == PodPhase::kPending);
  CHECK(pod.node_name.empty());
  CHECK(pod.requests ==
        ResourceList{{"cpu", 100}, {"memory", 64 << 20}, {"nvidia.com/gpu", 1}, {"pods", 1}});
  CHECK(pod.annotations == LabelSet{{"batch.kubernetes.io/job-completion-index", "0"},
                                    {"gangplan.io/place", "rack=pack!"}});
  CHECK(pod.labels.size() == 6);
  CHECK(*FindLabel(pod.labels, "batch.kubernetes.io/job-name") == "trainer");
  CHECK(pod.controller ==
        OwnerRef{"batch/v1", "Job", "trainer", "98505e60-1bba-47b0-8340-ba815b0d5f3c"});
  CHECK(pod.filter.tolerations ==
        std::vector<Toleration>{
            {"node.kubernetes.io/not-ready", true, "", TaintEffect::kNoExecute},
            {"node.kubernetes.io/unreachable", true, "", TaintEffect::kNoExecute}});
  const auto& nodes = request->nodes;
  REQUIRE(nodes.has_value());
  CHECK(nodes->names == Views{"n-00-01-00", "n-00-01-01", "n-00-00-00", "n-00-00-01"});

  FilterReply reply;
  reply.passed = {3};
  reply.unresolvable.push_back({{"n-00-01-00", "n-00-01-01", "n-00-00-00"}, "not its slot"});
  CHECK(EncodeFilterReply(reply, &*nodes) ==
        R"({"Nodes":null,"NodeNames":["n-00-00-01"],"FailedNodes":{},)"
        R"("FailedAndUnresolvableNodes":{"n-00-00-00":"not its slot",)"
        R"("n-00-01-00":"not its slot","n-00-01-01":"not its slot"},"Error":""})");
}

TEST_CASE("A nominated pod is asked for with its one node") {
  std::string body = Golden("filter-names-nominated.json");
  const auto request = DecodeFilterRequest(body);
  CHECK(Taken(request).pod.nominated_node_name == "n-00-01-01");
  CHECK(request->pod.annotations == LabelSet{{"gangplan.io/group", "nominated"},
                                             {"gangplan.io/place", "rack=pack!"},
                                             {"gangplan.io/size", "1"}});
  REQUIRE(request->nodes.has_value());
  CHECK(request->nodes->names == Views{"n-00-01-01"});
}

TEST_CASE("The pod of a job, offered with whole nodes, which come back byte for byte") {
  const std::string original = Golden("filter-nodes-job.json");
  std::string body = original;
  const auto request = DecodeFilterRequest(body);
  const auto& nodes = Taken(request).nodes;
  REQUIRE(nodes.has_value());
  CHECK(nodes->full_objects);
  CHECK(nodes->names == Views{"n-00-01-00", "n-00-01-01"});
  FilterReply reply;
  reply.passed = {0, 1};
  const size_t begin = original.find("\"Nodes\":");
  const size_t end = original.find(",\"NodeNames\":null");
  CHECK(EncodeFilterReply(reply, &*nodes) ==
        "{" + original.substr(begin, end - begin) +
            R"(,"NodeNames":null,"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})");
}

TEST_CASE("A bind call") {
  std::string body = Golden("bind.json");
  const auto request = DecodeBindRequest(body);
  CHECK(Taken(request).pod_name == "trainer-0-wnt7x");
  CHECK(request->pod_namespace == "default");
  CHECK(request->pod_uid == "b8fe9c98-338f-4830-86a2-9f484ff891ed");
  CHECK(request->node == "n-00-00-01");
}

TEST_CASE("A preempt call with UIDs, echoed") {
  const std::string original = Golden("preempt-meta.json");
  std::string body = original;
  const auto request = DecodePreemptRequest(body);
  CHECK(Taken(request).pod.priority == 1'000);
  std::vector<PreemptReplyNode> echo;
  for (const PreemptNode& node : request->nodes) {
    echo.push_back(
        {node.node, {node.victim_uids.begin(), node.victim_uids.end()}, node.pdb_violations});
  }
  CHECK(EncodePreemptReply(echo) == "{" + original.substr(original.find("\"NodeNameToMetaV")));
}

TEST_CASE("A preempt call with whole pods") {
  std::string body = Golden("preempt-full.json");
  const auto request = DecodePreemptRequest(body);
  REQUIRE(Taken(request).nodes.size() == 2);
  CHECK(request->nodes[0].node == "n-00-00-00");
  CHECK(request->nodes[0].victim_uids.size() == 2);
  CHECK(request->nodes[0].victim_uids[0] == "a435b565-7309-400c-9d2f-f50765f892f4");
  CHECK(request->nodes[1].node == "n-00-00-01");
}

// Go writes all keys of an object, a zero time as null, and lists without an element as null.
TEST_CASE("Objects in the shape that Go gives to empty ones") {
  std::string body =
      R"({"Pod":{"metadata":{"name":"lone","uid":"1","creationTimestamp":null},)"
      R"("spec":{"containers":null},"status":{}},"Nodes":{"metadata":{},"items":[{"metadata":)"
      R"({"name":"n1","creationTimestamp":null},"spec":{},"status":{"daemonEndpoints":)"
      R"({"kubeletEndpoint":{"Port":0}},"nodeInfo":{"machineID":""}}}]},"NodeNames":null})";
  const auto request = DecodeFilterRequest(body);
  CHECK(Taken(request).pod.name == "lone");
  CHECK(request->nodes->names == Views{"n1"});
}

TEST_CASE("Requests in lower case are the same requests") {
  std::string filter = R"({"pod":{"metadata":{"name":"p","uid":"1"}},"nodes":null,)"
                       R"("nodenames":["n1"]})";
  const auto filter_request = DecodeFilterRequest(filter);
  CHECK(Taken(filter_request).nodes->names == Views{"n1"});
  std::string preempt = R"({"pod":{"metadata":{"name":"p","uid":"1"}},"nodenametovictims":null,)"
                        R"("nodenametometavictims":{"n1":{"pods":[{"uid":"2"}],)"
                        R"("numpdbviolations":1}}})";
  const auto preempt_request = DecodePreemptRequest(preempt);
  REQUIRE(Taken(preempt_request).nodes.size() == 1);
  CHECK(preempt_request->nodes[0].pdb_violations == 1);
  std::string bind = R"({"podname":"p","podnamespace":"n","poduid":"1","node":"n1"})";
  const auto bind_request = DecodeBindRequest(bind);
  CHECK(Taken(bind_request).node == "n1");
}

}  // namespace
}  // namespace gangplan::golden_test
