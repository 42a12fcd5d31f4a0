// What is written is read as the same facts, by the decoder of the wire and of saved files.
#include "extender/demo/object_text.h"

#include <fstream>
#include <sstream>

#include "extender/demo/generator.h"
#include "extender/kube/cluster_file.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::object_text_test {
namespace {

ObjectList Cluster() {
  ClusterPlan plan;
  plan.racks = 3;
  plan.load = 45;
  plan.cpu = "7500m";
  plan.preset = "oci-rdma";
  absl::StatusOr<ObjectList> cluster = GenerateCluster(plan);
  REQUIRE(cluster.ok());
  return *std::move(cluster);
}

void CheckSame(std::string text, const ObjectList& cluster) {
  const absl::StatusOr<ObjectList> read = ParseClusterText(std::move(text), "cluster");
  INFO(Message(read.status()));
  REQUIRE(read.ok());
  CHECK(read->nodes == cluster.nodes);
  CHECK(read->pods == cluster.pods);
}

TEST_CASE("A cluster in JSON and in YAML is read as the same facts") {
  const ObjectList cluster = Cluster();
  REQUIRE(cluster.pods.size() > 10);
  CheckSame(ClusterJson(cluster), cluster);
  CheckSame(ClusterYaml(cluster), cluster);
}

TEST_CASE("A pod is read as the same facts") {
  PodFacts pod = Cluster().pods.front();
  pod.annotations = {{"gangplan.io/note", "two\nlines, \"quoted\""},
                     {"gangplan.io/place", "rack=pack!"}};
  pod.labels = {{"batch.kubernetes.io/job-completion-index", "7"}};
  pod.node_name.clear();
  pod.nominated_node_name = "n1";
  pod.phase = PodPhase::kPending;
  pod.priority = -5;
  pod.controller = OwnerRef{"batch/v1", "Job", "trainer", "u-1"};
  std::string text = PodJson(pod);
  const absl::StatusOr<PodFacts> read = DecodePod(text);
  INFO(Message(read.status()));
  REQUIRE(read.ok());
  CHECK(*read == pod);
}

TEST_CASE("A pod is written as Kubernetes wants it") {
  PodFacts pod;
  pod.ns = "default";
  pod.name = "load-1";
  pod.uid = "u-1";
  pod.scheduler_name = "default-scheduler";
  pod.node_name = "n1";
  pod.phase = PodPhase::kRunning;
  pod.requests = {{"cpu", 1500}, {"memory", int64_t{3} << 30}, {"nvidia.com/gpu", 2}, {"pods", 1}};
  CHECK(PodJson(pod) ==
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"load-1","namespace":"default",)"
        R"("uid":"u-1"},"spec":{"schedulerName":"default-scheduler","nodeName":"n1",)"
        R"("containers":[{"name":"main","image":"registry.k8s.io/pause:3.10","resources":{)"
        R"("requests":{"cpu":"1500m","memory":"3Gi","nvidia.com/gpu":"2"},)"
        R"("limits":{"nvidia.com/gpu":"2"}}}]},"status":{"phase":"Running"}})");
}

TEST_CASE("Quantities are the shortest") {
  CHECK(QuantityText({"cpu", 192'000}) == "192");
  CHECK(QuantityText({"cpu", 1}) == "1m");
  CHECK(QuantityText({"memory", 1024}) == "1Ki");
  CHECK(QuantityText({"memory", 1023}) == "1023");
  CHECK(QuantityText({"memory", int64_t{4} << 60}) == "4Ei");
  CHECK(QuantityText({"memory", 0}) == "0");
  CHECK(QuantityText({"pods", 2048}) == "2048");
}

TEST_CASE("The example cluster is what the generator makes") {
  std::ifstream file(GANGPLAN_SOURCE_DIR "/examples/cluster.json");
  std::stringstream text;
  text << file.rdbuf();
  ClusterPlan plan;
  plan.load = 30;
  const absl::StatusOr<ObjectList> cluster = GenerateCluster(plan);
  REQUIRE(cluster.ok());
  CHECK(text.str() == ClusterJson(*cluster));
}

}  // namespace
}  // namespace gangplan::object_text_test
