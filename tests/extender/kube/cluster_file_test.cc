#include "extender/kube/cluster_file.h"

#include <future>

#include "extender/kube/file_cluster.h"
#include "scratch_file.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::cluster_file_test {
namespace {

constexpr std::string_view kJson =
    R"({"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":[
{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","labels":{"example.com/rack":"1"}},
 "status":{"allocatable":{"cpu":"4","pods":"110"},"conditions":[{"type":"Ready","status":"True"}]}},
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns","uid":"u1"},
 "spec":{"nodeName":"n1","containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},
 "status":{"phase":"Running"}}]})";

constexpr std::string_view kYaml = R"(apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata:
    name: n1
    labels: {example.com/rack: "1"}
  status:
    allocatable: {cpu: "4", pods: "110"}
    conditions:
    - {type: Ready, status: "True"}
- apiVersion: v1
  kind: Pod
  metadata: {name: p, namespace: ns, uid: u1}
  spec:
    nodeName: n1
    containers:
    - name: c
      resources: {requests: {cpu: 1}}
  status: {phase: Running}
)";

std::string ErrorOf(std::string text) {
  return Message(ParseClusterText(std::move(text), "file").status());
}

TEST_CASE("JSON and YAML of one cluster are the same") {
  auto json = ParseClusterText(std::string(kJson), "file");
  auto yaml = ParseClusterText(std::string(kYaml), "file");
  REQUIRE(json.ok());
  REQUIRE(yaml.ok());
  REQUIRE(json->nodes.size() == 1);
  REQUIRE(json->pods.size() == 1);
  CHECK(json->nodes == yaml->nodes);
  CHECK(json->pods == yaml->pods);
  CHECK(json->nodes[0].ready);
  CHECK(json->pods[0].node_name == "n1");
}

TEST_CASE("YAML documents may be single objects") {
  auto objects = ParseClusterText(
      "kind: Node\nmetadata: {name: a}\n---\nkind: Pod\nmetadata: {name: p, namespace: ns, uid: "
      "u}\n"
      "spec: {containers: [{name: c}]}\n---\n" +
          std::string(kYaml),
      "file");
  REQUIRE(objects.ok());
  CHECK(objects->nodes.size() == 2);
  CHECK(objects->pods.size() == 2);
}

TEST_CASE("a topology of Kueue stands in the list or is a document of its own") {
  const std::string topology =
      "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata: {name: default}\n"
      "spec: {levels: [{nodeLabel: example.com/rack}]}\n";
  auto yaml = ParseClusterText(std::string(kYaml) + "---\n" + topology, "file");
  REQUIRE(yaml.ok());
  REQUIRE(yaml->topologies.size() == 1);
  CHECK(yaml->topologies[0] == Topology{"default", {{"rack", "example.com/rack"}}});
  std::string text(kJson);
  text.insert(text.find("\n{\"apiVersion\":\"v1\",\"kind\":\"Node\""),
              R"({"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Topology","metadata":{"name":"x"},)"
              R"("spec":{"levels":[{"nodeLabel":"example.com/rack"}]}},)");
  auto json = ParseClusterText(text, "file");
  REQUIRE(json.ok());
  CHECK(json->topologies.size() == 1);
  CHECK(json->nodes.size() == 1);
  text.replace(text.find("example.com/rack\"}]"), 16, "a b");
  CHECK(ErrorOf(text).find("file: x: items[0]: spec.levels[0].nodeLabel: ") == 0);
}

TEST_CASE("errors name the file") {
  const std::string nothing =
      "file: no nodes and no pods; expected the output of `kubectl get nodes,pods -A -o json`";
  CHECK(ErrorOf("") == nothing);
  CHECK(ErrorOf(R"({"kind":"Deployment","metadata":{"name":"x"}})") == nothing);
  CHECK(ErrorOf("kind: Deployment\nmetadata: {name: x}\n") == nothing);
  CHECK(ErrorOf("kind: List\nitems:\n- kind: Job\n  metadata: {name: x}\n") == nothing);
  CHECK(ErrorOf("{") == "file: invalid JSON at byte 1: expected a key");
  CHECK(ErrorOf("a: 1\na: 2\n") == "file: line 2: the key \"a\" is repeated");
  CHECK(Message(FileCluster::Load("/no/such").status()) == "/no/such: No such file or directory");
}

TEST_CASE("a bad object spoils the file, and is named") {
  std::string text(kJson);
  text.replace(text.find("\"cpu\":\"4\""), 9, "\"cpu\":\"x\"");
  CHECK(ErrorOf(text) ==
        "file: n1: items[0].status.allocatable.cpu: quantity \"x\": a digit is missing");
}

TEST_CASE("a cluster is loaded from its file") {
  const ScratchFile file(kJson);
  auto cluster = FileCluster::Load(file.path());
  CHECK(cluster.ok());
}

TEST_CASE("ConfigMaps with a label of Sakkara's stand in the list or are documents") {
  const std::string group =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: g, namespace: ns, uid: u2, labels: "
      "{sakkara.group: \"\"}}\ndata: {size: \"8\"}\n";
  const std::string other =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {size: 8}\n";
  auto yaml = ParseClusterText(std::string(kYaml) + "---\n" + group + "---\n" + other, "file");
  REQUIRE(yaml.ok());
  REQUIRE(yaml->config_maps.size() == 1);
  CHECK(yaml->config_maps[0] ==
        ConfigMapFacts{"ns", "g", "u2", "", {{"sakkara.group", ""}}, {{"size", "8"}}});
  std::string text(kJson);
  text.insert(text.find("\n{\"apiVersion\":\"v1\",\"kind\":\"Node\""),
              R"({"kind":"ConfigMap","metadata":{"name":"t","labels":{"sakkara.topology":""}},)"
              R"("data":{"tree":"{}"}},)");
  auto json = ParseClusterText(text, "file");
  REQUIRE(json.ok());
  REQUIRE(json->config_maps.size() == 1);
  CHECK(json->config_maps[0].ns == "default");
  text.replace(text.find("\"{}\""), 4, "[]");
  CHECK(ErrorOf(text) == "file: t: items[0].data.tree: expected a string, found an array");
}

constexpr std::string_view kOwnersYaml = R"(apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4"}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ns, uid: u9}
spec: {parallelism: 3}
---
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: StatefulSet
  metadata: {name: web, namespace: ns, uid: u10}
  spec: {replicas: 5}
- apiVersion: apps/v1
  kind: DaemonSet
  metadata: {name: agent, namespace: ns, uid: u11}
- apiVersion: jobset.x-k8s.io/v1alpha2
  kind: JobSet
  metadata: {namespace: ns}
)";

TEST_CASE("owners in a saved cluster are read, and those that cannot be are not there") {
  const absl::StatusOr<ObjectList> objects = ParseClusterText(std::string(kOwnersYaml), "file");
  REQUIRE(objects.ok());
  REQUIRE(objects->owners.size() == 2);
  CHECK(objects->owners[0].size == 3);
  CHECK(objects->owners[1].size == 5);
  FileCluster cluster(*objects);
  const auto read = [&cluster](const OwnerRef& ref) {
    std::promise<absl::StatusOr<OwnerFacts>> done;
    cluster.ReadOwner({"ns", ref},
                      [&](absl::StatusOr<OwnerFacts> owner) { done.set_value(std::move(owner)); });
    return done.get_future().get();
  };
  CHECK(read({"batch/v1", "Job", "train", "u9"})->size == 3);
  CHECK(absl::IsNotFound(read({"apps/v1", "DaemonSet", "agent", "u11"}).status()));
}

TEST_CASE("a bound pod with a fault counts in a saved cluster, one that waits is an error") {
  const auto text = [](std::string_view node) {
    return fmt::format(
        R"({{"kind":"List","items":[{{"kind":"Pod","metadata":{{"name":"p","uid":"u"}},)"
        R"("spec":{{"nodeName":"{}","priority":"high","containers":[]}}}}]}})",
        node);
  };
  const absl::StatusOr<ObjectList> bound = ParseClusterText(text("n1"), "file");
  CHECK(Message(bound.status()) == "");
  REQUIRE(bound.ok());
  REQUIRE(bound->pods.size() == 1);
  CHECK(!bound->pods[0].fault.empty());
  CHECK_FALSE(ParseClusterText(text(""), "file").ok());
}

}  // namespace
}  // namespace gangplan::cluster_file_test
