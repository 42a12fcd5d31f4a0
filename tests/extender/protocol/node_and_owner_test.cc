#include <string>

#include "extender/protocol/limits.h"
#include "fmt/format.h"
#include "tests/extender/protocol/decode.h"
#include "tests/support/catch.h"

namespace gangplan::node_and_owner_test {
namespace {

NodeFacts Node(std::string text) {
  absl::StatusOr<NodeFacts> node = DecodeNode(text);
  INFO(ErrorOf(node));
  REQUIRE(node.ok());
  return *node;
}

OwnerFacts Owner(std::string text) {
  absl::StatusOr<OwnerFacts> owner = DecodeOwner(text);
  INFO(ErrorOf(owner));
  REQUIRE(owner.ok());
  return *owner;
}

OwnerFacts Job(std::string_view spec) {
  return Owner(fmt::format(
      R"({{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"j"}},"spec":{{{}}}}})", spec));
}

TEST_CASE("A node") {
  const NodeFacts node = Node(
      R"({"kind":"Node","metadata":{"name":"n1","labels":{"rack":"r1","block":"b1"}},)"
      R"("spec":{"unschedulable":true,"taints":[{"key":"a","value":"v","effect":"NoSchedule"},)"
      R"({"key":"b","effect":"NoExecute","timeAdded":"2026-01-01T00:00:00Z"},)"
      R"({"key":"c","effect":"PreferNoSchedule"}]},"status":{"phase":"Running",)"
      R"("capacity":{"cpu":"8"},"allocatable":{"pods":"110","cpu":"7910m","memory":"16Gi"},)"
      R"("conditions":[{"type":"DiskPressure","status":"False"},{"type":"Ready","status":"True"}],)"
      R"("images":[{"names":["x"],"sizeBytes":1}]}})");
  CHECK(node.name == "n1");
  CHECK(node.labels == LabelSet{{"block", "b1"}, {"rack", "r1"}});
  CHECK(node.allocatable ==
        ResourceList{{"cpu", 7'910}, {"memory", int64_t{16} << 30}, {"pods", 110}});
  CHECK(node.taints == std::vector<Taint>{{"a", "v", TaintEffect::kNoSchedule},
                                          {"b", "", TaintEffect::kNoExecute},
                                          {"c", "", TaintEffect::kPreferNoSchedule}});
  CHECK(node.ready);
  CHECK(node.unschedulable);
}

TEST_CASE("When a node is to be empty") {
  const auto at = [](std::string_view word) {
    constexpr std::string_view kNode =
        R"({{"metadata":{{"name":"n","annotations":{{"gangplan.io/maintenance":{}}}}}}})";
    return Node(fmt::format(fmt::runtime(kNode), word)).maintenance;
  };
  CHECK(Node(R"({"metadata":{"name":"n","annotations":{"other":"x"}}})").maintenance == 0);
  CHECK(at(R"("2026-12-01T06:00Z")") == 1'796'104'800);
  CHECK(at(R"("2026-12-01T06:00:01Z")") == 1'796'104'801);
  CHECK(at(R"("2026-12-01T07:00+01:00")") == 1'796'104'800);
  CHECK(at(R"("1960-01-01T00:00Z")") == kMaintenanceUnread + 1);
  for (const char* wrong : {R"("")", R"("tomorrow")", R"("2026-12-01")", R"("06:00")", R"("1h")"}) {
    INFO(wrong);
    CHECK(at(wrong) == kMaintenanceUnread);
  }
}

TEST_CASE("A node is ready when its condition says True") {
  CHECK_FALSE(Node(R"({"metadata":{"name":"n"}})").ready);
  for (std::string_view status : {"False", "Unknown", ""}) {
    CHECK_FALSE(
        Node(NodeText(fmt::format(R"("status":{{"conditions":[{{"type":"Ready","status":"{}"}}]}})",
                                  status)))
            .ready);
  }
  CHECK(Node(NodeText(R"("status":{"conditions":[{"status":"True","type":"Ready"}]})")).ready);
}

TEST_CASE("What there is, is rounded down") {
  CHECK(Node(NodeText(R"("status":{"allocatable":{"cpu":"1999999n","memory":"1500m","x":2.9}})"))
            .allocatable == ResourceList{{"cpu", 1}, {"memory", 1}, {"x", 2}});
}

TEST_CASE("The size of a job") {
  CHECK(Job("").size == 1);
  CHECK(Job(R"("parallelism":8)").size == 8);
  CHECK(Job(R"("parallelism":8,"completions":20)").size == 8);
  CHECK(Job(R"("parallelism":8,"completions":5)").size == 5);
  CHECK(Job(R"("completions":5)").size == 1);
  CHECK(Job(R"("parallelism":0)").size == 0);
  CHECK(Job(R"("parallelism":null,"completions":null)").size == 1);
}

TEST_CASE("What of a job has not succeeded yet") {
  const auto left = [](std::string_view spec, std::string_view status) {
    return Owner(fmt::format(R"({{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"j"}},)"
                             R"("spec":{{{}}},"status":{{{}}}}})",
                             spec, status))
        .left;
  };
  CHECK(left(R"("completions":5)", "") == 5);
  CHECK(left(R"("completions":5)", R"("succeeded":2,"failed":9)") == 3);
  CHECK(left(R"("completions":5)", R"("succeeded":6)") == 0);
  CHECK(left(R"("parallelism":5)", R"("succeeded":2)") == std::nullopt);
  // An index that has failed for good has no pod any more.
  const auto of_nine = [&](std::string_view failed) {
    return *left(R"("completions":9)",
                 fmt::format(R"("succeeded":1,"failedIndexes":"{}")", failed));
  };
  CHECK(of_nine("") == 8);
  CHECK(of_nine("3") == 7);
  CHECK(of_nine("1,3-5,8") == 3);
  CHECK(of_nine("0-8") == 0);
  CHECK(of_nine("0-2147483647") == 0);
  CHECK(of_nine("0-2147483647,0-2147483647") == 0);
  for (const char* none : {",", "-", "a", "5-3", "-1", "99999999999", "1-x", "1--2"}) {
    INFO(none);
    CHECK(of_nine(none) == 8);
  }
}

TEST_CASE("An owner's words") {
  const OwnerFacts owner = Owner(
      R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","namespace":"n","uid":"7",)"
      R"("labels":{"a":"b"},"annotations":{"gangplan.io/place":"rack=pack","other":"x"}},)"
      R"("spec":{"template":{"spec":{"containers":[{"resources":{"requests":{"cpu":"?"}}}]}}}})");
  CHECK(owner.ref == OwnerRef{"batch/v1", "Job", "j", "7"});
  CHECK(owner.ns == "n");
  CHECK(owner.labels == LabelSet{{"a", "b"}});
  CHECK(owner.annotations == LabelSet{{"gangplan.io/place", "rack=pack"}});
}

TEST_CASE("StatefulSets and ReplicaSets tell how many pods they keep") {
  const auto read = [](std::string_view kind, std::string_view spec) {
    return Owner(fmt::format(
        R"({{"apiVersion":"apps/v1","kind":"{}","metadata":{{"name":"s"}},"spec":{{{}}}}})", kind,
        spec));
  };
  CHECK(read("ReplicaSet", R"("replicas":4,"template":{"spec":{"containers":[]}})").size == 4);
  CHECK(read("ReplicaSet", "").size == 1);
  CHECK(read("ReplicaSet", R"("replicas":0)").size == 0);
  CHECK_FALSE(read("ReplicaSet", R"("replicas":4)").in_order);
  CHECK(read("StatefulSet", R"("replicas":2147483647)").size == 2147483647);
  CHECK(read("StatefulSet", R"("replicas":4)").in_order);
  CHECK(read("StatefulSet", R"("replicas":4,"podManagementPolicy":"OrderedReady")").in_order);
  CHECK_FALSE(read("StatefulSet", R"("replicas":4,"podManagementPolicy":"Parallel")").in_order);
  CHECK(read("DaemonSet", R"("replicas":4)").size == std::nullopt);
  for (std::string_view replicas : {"-1", "2147483648", "\"4\""}) {
    INFO(replicas);
    std::string text =
        fmt::format(R"({{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{{"name":"s"}},)"
                    R"("spec":{{"replicas":{}}}}})",
                    replicas);
    const OwnerFacts owner = Owner(text);
    CHECK_THAT(owner.fault, StartsWith("spec.replicas: "));
    CHECK_FALSE(owner.size);
  }
}

TEST_CASE("A StatefulSet that a pod has made tells that pod") {
  const auto leader = [](std::string_view owners) {
    return Owner(fmt::format(
                     R"({{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{{"name":"s",)"
                     R"("uid":"u","ownerReferences":[{}]}},"spec":{{"replicas":3}}}})",
                     owners))
        .leader;
  };
  const std::string pod = R"({"apiVersion":"v1","kind":"Pod","name":"s","uid":"p")";
  CHECK(leader(pod + R"(,"controller":true})") == "p");
  CHECK(leader(pod + "}") == "");
  CHECK(leader(R"({"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet",)"
               R"("name":"serve","uid":"s","controller":true})") == "");
  CHECK(leader("") == "");
}

TEST_CASE("A StatefulSet tells the first index of its pods") {
  const auto first = [](std::string_view kind, std::string_view spec) {
    return Owner(fmt::format(
                     R"({{"apiVersion":"apps/v1","kind":"{}","metadata":{{"name":"s"}},"spec":{{)"
                     R"("replicas":4,{}}}}})",
                     kind, spec))
        .first_index;
  };
  CHECK(first("StatefulSet", R"("serviceName":"s")") == 0);
  CHECK(first("StatefulSet", R"("ordinals":{})") == 0);
  CHECK(first("StatefulSet", R"("ordinals":null)") == 0);
  CHECK(first("StatefulSet", R"("ordinals":{"start":7})") == 7);
}

TEST_CASE("Jobs of Kubeflow's tell their replicas by type, with the words of each") {
  const auto read = [](std::string_view kind, std::string_view spec) {
    return Owner(fmt::format(
        R"({{"apiVersion":"kubeflow.org/v1","kind":"{}","metadata":{{"name":"j"}},"spec":{{{}}}}})",
        kind, spec));
  };
  const OwnerFacts owner =
      read("PyTorchJob",
           R"("pytorchReplicaSpecs":{"Master":{"template":{"metadata":{"annotations":)"
           R"({"gangplan.io/place":"rack=pack!"},"labels":{"a":"b"}},"spec":{"containers":7}}},)"
           R"("Worker":{"replicas":4,"restartPolicy":"OnFailure"},"Evaluator":{"replicas":0}})");
  REQUIRE(owner.pod_sets.size() == 3);
  CHECK(owner.pod_sets[2].name == "evaluator");
  CHECK(owner.pod_sets[2].size() == 0);  // it may have some later
  CHECK(owner.pod_sets[0].name == "master");
  CHECK(owner.pod_sets[0].size() == 1);
  CHECK(owner.pod_sets[0].labels == LabelSet{{"a", "b"}});
  CHECK(owner.pod_sets[0].annotations == LabelSet{{"gangplan.io/place", "rack=pack!"}});
  CHECK(owner.pod_sets[1].name == "worker");
  CHECK(owner.pod_sets[1].each == 4);
  CHECK_FALSE(owner.size);
  for (const auto& [kind, field] : {std::pair("TFJob", "tf"),
                                    {"XGBoostJob", "xgb"},
                                    {"PaddleJob", "paddle"},
                                    {"JAXJob", "jax"}}) {
    INFO(kind);
    const std::string spec =
        fmt::format(R"("{}ReplicaSpecs":{{"Worker":{{"replicas":2}}}})", field);
    CHECK(read(kind, spec).pod_sets.size() == 1);
  }
  CHECK(read("Notebook", R"("tfReplicaSpecs":{"Worker":{"replicas":2}})").pod_sets.empty());
}

TEST_CASE("An MPIJob tells its launcher and workers, and a launcher that comes last") {
  const auto read = [](std::string_view policy) {
    return Owner(fmt::format(
        R"({{"apiVersion":"kubeflow.org/v2beta1","kind":"MPIJob","metadata":{{"name":"pi",)"
        R"("namespace":"n","uid":"7"}},"spec":{{"launcherCreationPolicy":"{}","mpiReplicaSpecs":{{)"
        R"("Launcher":{{"template":{{"metadata":{{"labels":{{"a":"b"}}}},"spec":{{)"
        R"("schedulerName":"gangplan","containers":[{{"name":"l","resources":{{"requests":)"
        R"({{"cpu":"2"}}}}}}]}}}}}},"Worker":{{"replicas":4,"template":{{"spec":7}}}}}}}}}})",
        policy));
  };
  const OwnerFacts owner = read("AtStartup");
  REQUIRE(owner.pod_sets.size() == 2);
  CHECK(owner.pod_sets[0].name == "launcher");
  CHECK(owner.pod_sets[0].labels == LabelSet{{"a", "b"}});
  CHECK_FALSE(owner.pod_sets[0].last);
  CHECK(owner.pod_sets[1].size() == 4);
  const OwnerFacts last = read("WaitForWorkersReady");
  REQUIRE(last.pod_sets[0].last);
  const PodFacts& pod = *last.pod_sets[0].last;
  CHECK(pod.fault.empty());
  CHECK(pod.ns == "n");
  CHECK(pod.scheduler_name == "gangplan");
  CHECK(pod.requests == ResourceList{{"cpu", 2000}, {"pods", 1}});
  CHECK(pod.labels == LabelSet{{"a", "b"}, {"training.kubeflow.org/job-role", "launcher"}});
  CHECK_FALSE(last.pod_sets[1].last);
}

TEST_CASE("An MPIJob that does not say how many workers it has makes none, and one launcher") {
  const std::string_view version = GENERATE("kubeflow.org/v1", "kubeflow.org/v2beta1");
  const OwnerFacts owner = Owner(fmt::format(
      R"({{"apiVersion":"{}","kind":"MPIJob","metadata":{{"name":"pi","namespace":"n","uid":"7"}},)"
      R"("spec":{{"mpiReplicaSpecs":{{"Launcher":{{}},"Worker":{{}}}}}}}})",
      version));
  REQUIRE(owner.pod_sets.size() == 2);
  CHECK(owner.pod_sets[0].size() == 1);
  CHECK(owner.pod_sets[1].name == "worker");
  CHECK(owner.pod_sets[1].size() == 0);
}

TEST_CASE("A Job is a part of the MPIJob that controls it, and of nobody else") {
  const auto part_of = [](std::string_view version, std::string_view kind) {
    return Owner(fmt::format(
                     R"({{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"j",)"
                     R"("ownerReferences":[{{"apiVersion":"{}","kind":"{}","name":"pi","uid":"7",)"
                     R"("controller":true}}]}},"spec":{{}}}})",
                     version, kind))
        .part_of;
  };
  CHECK(part_of("kubeflow.org/v2beta1", "MPIJob") ==
        OwnerRef{"kubeflow.org/v2beta1", "MPIJob", "pi", "7"});
  CHECK_FALSE(part_of("example.com/v1", "MPIJob"));
  CHECK_FALSE(part_of("batch/v1", "CronJob"));
}

TEST_CASE("A RayCluster tells its head and its workers as its operator counts them") {
  const auto read = [](std::string_view groups) {
    return Owner(fmt::format(
                     R"({{"apiVersion":"ray.io/v1","kind":"RayCluster","metadata":{{"name":"r"}},)"
                     R"("spec":{{"headGroupSpec":{{"template":{{"metadata":{{"annotations":)"
                     R"({{"gangplan.io/place":"rack=pack!"}}}},"spec":7}}}},)"
                     R"("workerGroupSpecs":[{}]}}}})",
                     groups))
        .pod_sets;
  };
  const auto head = read("");
  REQUIRE(head.size() == 1);
  CHECK(head[0].name == "headgroup");
  CHECK(head[0].size() == 1);
  CHECK(head[0].annotations == LabelSet{{"gangplan.io/place", "rack=pack!"}});
  const auto workers = [&](std::string_view spec) {
    const auto sets = read(fmt::format(R"({{"groupName":"w"{}}})", spec));
    REQUIRE(sets.size() == 2);
    CHECK(sets[1].name == "w");
    return sets[1].size();
  };
  CHECK(workers("") == 0);
  CHECK(workers(R"(,"replicas":3)") == 3);
  CHECK(workers(R"(,"replicas":3,"numOfHosts":4)") == 12);
  CHECK(workers(R"(,"replicas":3,"numOfHosts":0)") == 3);
  CHECK(workers(R"(,"replicas":1,"minReplicas":2,"maxReplicas":5)") == 2);
  CHECK(workers(R"(,"replicas":9,"minReplicas":2,"maxReplicas":5)") == 5);
  CHECK(workers(R"(,"replicas":3,"suspend":true)") == 0);
}

TEST_CASE("The types of a job's replicas are bounded") {
  const auto read = [](size_t types) {
    std::string specs;
    for (size_t i = 0; i < types; ++i)
      specs += fmt::format(R"({}"T{}":{{"replicas":1}})", i == 0 ? "" : ",", i);
    std::string text =
        fmt::format(R"({{"apiVersion":"kubeflow.org/v1","kind":"TFJob","metadata":{{"name":"j"}},)"
                    R"("spec":{{"tfReplicaSpecs":{{{}}}}}}})",
                    specs);
    return DecodeOwner(text);
  };
  const absl::StatusOr<OwnerFacts> most = read(kMaxReplicatedJobs);
  REQUIRE(most.ok());
  CHECK(most->pod_sets.size() == kMaxReplicatedJobs);
  CHECK(ErrorOf(read(kMaxReplicatedJobs + 1)) == "spec.tfReplicaSpecs: more than 256 entries");
}

TEST_CASE("Of other owners only the metadata is read, whatever their spec is") {
  for (std::string_view head : {R"("apiVersion":"x.io/v1","kind":"Trainer")",
                                R"("apiVersion":"batch.x.io/v1","kind":"Job")"}) {
    for (std::string_view spec : {R"({"parallelism":"many"})", "[]", "7", "null"}) {
      const OwnerFacts owner =
          Owner(fmt::format(R"({{{},"metadata":{{"name":"j"}},"spec":{}}})", head, spec));
      CHECK(owner.ref.name == "j");
      CHECK_FALSE(owner.size.has_value());
    }
  }
}

}  // namespace
}  // namespace gangplan::node_and_owner_test
