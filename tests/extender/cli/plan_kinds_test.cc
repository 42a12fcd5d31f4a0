// `gangplan plan`: each kind of docs/workloads.md, and where wrong manifests are wrong.
#include <algorithm>

#include "extender/cli/commands.h"
#include "extender/cli/plan_command.h"
#include "tests/extender/cli/told.h"
#include "tests/extender/kube/scratch_file.h"
#include "tests/support/catch.h"
#include "topology/base/text.h"

namespace gangplan::plan_kinds_test {
namespace {

Told PlanFile(const std::string& path) {
  Told told = RunOf(AllCommands(), {"plan", "-f", path, "--snapshot",
                                    GANGPLAN_SOURCE_DIR "/examples/cluster.json"});
  for (std::string* text : {&told.out, &told.err}) {
    for (size_t at = text->find(path); at != std::string::npos; at = text->find(path))
      text->replace(at, path.size(), "FILE");
  }
  return told;
}
Told PlanText(const std::string& manifest) { return PlanFile(ScratchFile(manifest).path()); }

Told PlanExample(std::string_view name) {
  return PlanFile(fmt::format("{}/examples/{}", GANGPLAN_SOURCE_DIR, name));
}

// Of its first line that tells of a gang: "Job default/trainer: Planned; 8 of 8 members seen".
std::string GangIn(const Told& told) {
  const size_t end = told.out.find(" members seen");
  if (end == std::string::npos) return {};
  const size_t begin = told.out.rfind('\n', end) + 1;
  return told.out.substr(begin, end - begin);
}

TEST_CASE("plan: every example of a workload is a gang that fits") {
  const std::vector<std::pair<std::string_view, std::string_view>> examples = {
      {"job-rack.yaml", "Job default/trainer: Planned; 8 of 8"},
      {"job-block.yaml", ""},
      {"job-ranks.yaml", ""},
      {"elastic-job.yaml", "Job default/elastic: Planned; 4 of 2"},
      {"mpijob.yaml", "MPIJob default/pi: Planned; 3 of 3"},
      {"pytorchjob.yaml", "PyTorchJob default/simple: Planned; 4 of 4"},
      {"paddlejob.yaml", "PaddleJob default/paddle: Planned; 3 of 3"},
      {"jaxjob.yaml", "JAXJob default/jax: Planned; 3 of 3"},
      {"raycluster.yaml", "RayCluster default/ray: Planned; 5 of 5"},
      {"statefulset.yaml", "StatefulSet default/shard: Planned; 4 of 4"},
      {"deployment-gang.yaml", "ReplicaSet default/replica-xxxxx: Planned; 4 of 4"},
      {"leaderworkerset.yaml", "LeaderWorkerSet default/serve-0: Planned; 4 of 4"},
      {"coscheduling.yaml", "PodGroup default/members: Planned; 3 of 2"},
      {"volcano.yaml", "Volcano PodGroup default/tasks: Planned; 3 of 2"},
      {"native-gang.yaml", "Kubernetes PodGroup default/natives: Planned; 3 of 2"},
      {"koordinator.yaml", "Koordinator gang default/workers: Planned; 3 of 2"},
      {"pod-group.yaml", "Kueue pod group default/ring: Planned; 2 of 2"},
  };
  for (const auto& [name, gang] : examples) {
    INFO(name);
    const Told told = PlanExample(name);
    INFO(told);
    CHECK(told.code == kExitDone);
    CHECK(told.out.starts_with("fits now: "));
    if (!gang.empty()) CHECK(GangIn(told) == gang);
  }
}

TEST_CASE("plan: an MPIJob of the training operator's is one gang, whose launcher no Job makes") {
  const auto mpi = [](std::string_view version) {
    std::string types;
    for (const auto& [type, count] : {std::pair{"Launcher", 1}, std::pair{"Worker", 2}}) {
      types += fmt::format(
          "    {}:\n      replicas: {}\n      template:\n        spec:\n"
          "          schedulerName: gangplan\n"
          "          containers: [{{name: c, resources: {{requests: {{cpu: 1}}}}}}]\n",
          type, count);
    }
    return fmt::format(
        "apiVersion: {}\nkind: MPIJob\nmetadata:\n  name: pi\n  annotations:\n"
        "    gangplan.io/place: rack=pack!\nspec:\n  mpiReplicaSpecs:\n{}",
        version, types);
  };
  for (const char* version : {"kubeflow.org/v1", "kubeflow.org/v2beta1"}) {
    INFO(version);
    const Told told = PlanText(mpi(version));
    INFO(told);
    CHECK(GangIn(told) == "MPIJob default/pi: Planned; 3 of 3");
    CHECK(told.out.find("\n  launcher rank 0 ") != std::string::npos);
    CHECK(told.out.find("\n  worker   rank 0-1 ") != std::string::npos);
  }
}

TEST_CASE("plan: each replica of a LeaderWorkerSet is a gang, and workers have their ranks") {
  const Told told = PlanExample("leaderworkerset.yaml");
  CHECK(told.out.find("\nLeaderWorkerSet default/serve-1: Planned; 4 of 4 members seen") !=
        std::string::npos);
  CHECK(told.out.find("\n  leader  rank 0 ") != std::string::npos);
  CHECK(told.out.find("\n  workers rank 0-2 ") != std::string::npos);
}

TEST_CASE("plan: sub-groups of a LeaderWorkerSet have a domain each for themselves") {
  const auto set = [](std::string_view key, std::string_view size) {
    return fmt::format(
        "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata:\n  name: s\n"
        "  annotations:\n    leaderworkerset.sigs.k8s.io/{}: example.com/rack\nspec:\n"
        "  replicas: 1\n  leaderWorkerTemplate:\n    size: {}\n    subGroupPolicy:\n"
        "      subGroupSize: 2\n    workerTemplate:\n      metadata:\n        annotations:\n"
        "          gangplan.io/place: block=pack!\n      spec:\n        schedulerName: gangplan\n"
        "        containers: [{{name: c, resources: {{requests: {{cpu: 1}}}}}}]\n",
        key, size);
  };
  const Told fits = PlanText(set("subgroup-exclusive-topology", "4"));
  INFO(fits);
  CHECK(GangIn(fits) == "LeaderWorkerSet default/s-0: Planned; 4 of 4");
  CHECK(fits.out.find("block=pack! (sub-groups of 2 by example.com/rack)") != std::string::npos);
  const Told odd = PlanText(set("subgroup-exclusive-topology", "5"));
  INFO(odd);
  CHECK(odd.code == kExitNever);
  CHECK(odd.out.find("sub-groups of 2 among 5 members") != std::string::npos);
  // As its controller hands it on to the pods.
  const Told whole = PlanText(set("exclusive-topology", "4"));
  INFO(whole);
  CHECK(whole.out.find("its workers are made when the leader has a node") != std::string::npos);
}

TEST_CASE("plan: the cluster of a RayJob is the gang, and the faults of its templates are told") {
  const auto ray = [](std::string_view request) {
    return fmt::format(
        "apiVersion: ray.io/v1\nkind: RayJob\nmetadata:\n  name: ray\n  annotations:\n"
        "    gangplan.io/place: rack=pack!\nspec:\n  rayClusterSpec:\n    headGroupSpec:\n"
        "      template:\n        spec:\n          schedulerName: gangplan\n"
        "          containers: [{{name: c, resources: {{requests: {{cpu: {}}}}}}}]\n",
        request);
  };
  CHECK(GangIn(PlanText(ray("1"))) == "RayCluster default/ray-xxxxx: Planned; 1 of 1");
  const Told wrong = PlanText(ray("many"));
  CHECK(wrong.code == kExitWrongWords);
  CHECK(wrong.err.starts_with(
      "gangplan plan: FILE:13: spec.rayClusterSpec.headGroupSpec.template.spec.containers[0]."));
  CHECK(
      PlanText("apiVersion: ray.io/v1\nkind: RayService\nmetadata: {name: r}\n")
          .err.starts_with("gangplan plan: FILE:1: spec.rayClusterConfig: is missing; expected "));
}

TEST_CASE("plan: what is wrong in a manifest is told with its line and its key") {
  const std::string pod =
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations:\n"
      "    gangplan.io/group: g\n    gangplan.io/size: '1'\nspec:\n  schedulerName: gangplan\n"
      "  containers:\n  - name: c\n    resources:\n      limits:\n        nvidia.com/gpu: ";
  CHECK(GangIn(PlanText(pod + "1\n")) == "group default/g: Planned; 1 of 1");
  const Told wrong = PlanText(pod + "some\n");
  CHECK(wrong.code == kExitWrongWords);
  CHECK(wrong.err.starts_with(
      "gangplan plan: FILE:14: spec.containers[0].resources.limits.nvidia.com/gpu: "));
  CHECK(PlanText("---\n" + pod + "1\n  nodeName: n\n")
            .err.starts_with("gangplan plan: FILE:16: spec.nodeName: is set; expected"));
  CHECK(
      PlanText("apiVersion: apps/v2\nkind: Pod\nmetadata: {name: a}\n")
          .err.starts_with("gangplan plan: FILE:1: apiVersion: \"apps/v2\" of a Pod; expected v1"));
  CHECK(PlanText("apiVersion: kubeflow.org/v1\nkind: TFJob\nmetadata: {name: a}\nspec: {}\n")
            .err.starts_with("gangplan plan: FILE:4: spec.tfReplicaSpecs: is missing; expected "));
  CHECK(PlanText("apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: g}\n")
            .err.starts_with("gangplan plan: FILE: only PodGroup default/g in it, and no pod; "
                             "expected the pods that name it\n"));
  const Told misspelt = PlanText(
      "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s}\nspec:\n  replicas: 2\n"
      "  podManagementPolicy: Parallel\n  template:\n    metadata:\n      annotations:\n"
      "        gangplan.io/place: rack=pakc!\n    spec:\n      schedulerName: gangplan\n"
      "      containers: [{name: c}]\n");
  CHECK(misspelt.code == kExitNever);
  CHECK(misspelt.out.find("\n  note: gangplan.io/place stands in FILE:10\n") != std::string::npos);
}

TEST_CASE("plan: a list of objects is read, and several workloads are planned beside each other") {
  const auto job = [](std::string_view name) {
    return fmt::format(
        "- apiVersion: batch/v1\n  kind: Job\n  metadata:\n    name: {}\n    annotations:\n"
        "      gangplan.io/place: block=pack!\n  spec:\n    parallelism: 7\n    completions: 7\n"
        "    template:\n      spec:\n        schedulerName: gangplan\n"
        "        containers: [{{name: c, resources: {{limits: {{nvidia.com/gpu: 8}}}}}}]\n",
        name);
  };
  const std::string list = "kind: List\nitems:\n";
  CHECK(PlanText(list + job("a")).code == kExitDone);
  const Told both = PlanText(list + job("a") + job("b"));
  CHECK(both.code == kExitWaits);
  CHECK(both.out.find("Job default/a: Planned") != std::string::npos);
  CHECK(both.out.find("Job default/b: Blocked") != std::string::npos);
}

}  // namespace
}  // namespace gangplan::plan_kinds_test
