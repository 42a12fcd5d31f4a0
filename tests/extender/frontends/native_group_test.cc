// Gangs of kube-scheduler's own: what spec.schedulingGroup on pods and on their owners' templates
// makes a gang of.
#include <string>
#include <string_view>
#include <utility>

#include "extender/frontends/owner.h"
#include "extender/protocol/kubernetes_objects.h"
#include "fmt/format.h"
#include "tests/extender/frontends/found_group.h"
#include "tests/support/catch.h"

namespace gangplan::native_group_test {
namespace {

using Kind = GroupSpec::Kind;

constexpr std::string_view kGroup = R"("schedulingGroup":{"podGroupName":"pg"})";

// A kind of several templates: one pod of `head`, six of `workers`.
struct SeveralTemplates {
  std::string_view api_version;
  std::string_view kind;
  std::string_view part_label;
  std::string_view head;
  std::string_view workers;
  // Its spec, where HEAD and WORKERS are the specs of the templates.
  std::string_view spec;
};

constexpr SeveralTemplates kJobSet = {
    "jobset.x-k8s.io/v1alpha2",
    "JobSet",
    "jobset.sigs.k8s.io/replicatedjob-name",
    "driver",
    "workers",
    R"({"replicatedJobs":[{"name":"driver","template":{"spec":{"template":{"spec":{HEAD}}}}},)"
    R"({"name":"workers","template":{"spec":{"parallelism":6,"template":{"spec":{WORKERS}}}}}]})"};
constexpr SeveralTemplates kPyTorchJob = {
    "kubeflow.org/v1",
    "PyTorchJob",
    "training.kubeflow.org/replica-type",
    "master",
    "worker",
    R"({"pytorchReplicaSpecs":{"Master":{"template":{"spec":{HEAD}}},)"
    R"("Worker":{"replicas":6,"template":{"spec":{WORKERS}}}}})"};
constexpr SeveralTemplates kMpiJob = {
    "kubeflow.org/v2beta1",
    "MPIJob",
    "training.kubeflow.org/job-role",
    "launcher",
    "worker",
    R"({"mpiReplicaSpecs":{"Launcher":{"template":{"spec":{HEAD}}},)"
    R"("Worker":{"replicas":6,"template":{"spec":{WORKERS}}}}})"};
constexpr SeveralTemplates kRayCluster = {
    "ray.io/v1",
    "RayCluster",
    "ray.io/group",
    "headgroup",
    "workers",
    R"({"headGroupSpec":{"template":{"spec":{HEAD}}},"workerGroupSpecs":[{"groupName":"workers",)"
    R"("replicas":6,"template":{"spec":{WORKERS}}}]})"};

OwnerFacts OwnerOf(const SeveralTemplates& kind, std::string_view head, std::string_view workers) {
  std::string spec(kind.spec);
  spec.replace(spec.find("HEAD"), 4, head);
  spec.replace(spec.find("WORKERS"), 7, workers);
  std::string text = fmt::format(
      R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"train","namespace":"team",)"
      R"("uid":"uid"}},"spec":{}}})",
      kind.api_version, kind.kind, spec);
  absl::StatusOr<OwnerFacts> owner = DecodeOwner(text);
  REQUIRE(owner.ok());
  REQUIRE(owner->fault.empty());
  return *std::move(owner);
}

GroupSpec FindIn(const SeveralTemplates& kind, const OwnerFacts& owner, std::string_view part,
                 bool named) {
  PodFacts pod = Bare({});
  pod.controller = owner.ref;
  SetWord(pod.labels, kind.part_label, part);
  if (named) pod.scheduling_group = "pg";
  return Find(pod, &owner);
}

}  // namespace

TEST_CASE("Native group: a group on one of several templates is a gang of that one's pods") {
  for (const SeveralTemplates& kind : {kJobSet, kPyTorchJob, kMpiJob, kRayCluster}) {
    INFO(std::string(kind.kind));
    const OwnerFacts one = OwnerOf(kind, "", kGroup);
    const GroupSpec worker = FindIn(kind, one, kind.workers, true);
    CHECK(worker.kind == Kind::kMember);
    CHECK(worker.key ==
          GroupKey{std::string(kind.kind), "team", fmt::format("train-{}", kind.workers), "uid"});
    CHECK(worker.size() == 6);
    CHECK(FindIn(kind, one, kind.head, false).kind == Kind::kForeign);
    const OwnerFacts both = OwnerOf(kind, kGroup, kGroup);
    for (std::string_view part : {kind.workers, kind.head}) {
      const GroupSpec member = FindIn(kind, both, part, true);
      CHECK(member.kind == Kind::kMember);
      CHECK(member.key == GroupKey{std::string(kind.kind), "team", "train", "uid"});
      CHECK(member.size() == 7);
    }
    // Whoever adds it to all pods that are made means all of them.
    const OwnerFacts none = OwnerOf(kind, "", "");
    CHECK(FindIn(kind, none, kind.workers, true).size() == 7);
    CHECK(FindIn(kind, none, kind.head, true).size() == 7);
  }
}

TEST_CASE("Native group: a gang of kube-scheduler's own tells the least number by its policy") {
  PodFacts pod = ForeignPod("p", 1);
  pod.scheduling_group = "ring";
  CHECK(SpeaksOfGroup(pod));
  CHECK(FindGroup(pod, nullptr, false, TwoSchedulers()).kind == Kind::kNeedsOwner);
  OwnerFacts owner;
  owner.ref = *OwnerOf(pod);
  CHECK(owner.ref == OwnerRef{"scheduling.k8s.io/v1alpha2", "PodGroup", "ring",
                              "Kubernetes PodGroup team/ring"});
  owner.size = 3;
  owner.at_least = true;
  const GroupSpec found = Find(pod, &owner);
  CHECK(found.kind == Kind::kMember);
  CHECK(found.key == GroupKey{"Kubernetes PodGroup", "team", "ring", ""});
  CHECK(found.size() == 3);
  CHECK(found.sizing.at_least);
  // Without a gang's policy its pods are plain, and what they say themselves counts.
  owner.size.reset();
  owner.at_least = false;
  CHECK(Find(pod, &owner).kind == Kind::kForeign);
  SetWord(pod.annotations, "gangplan.io/place", "rack=pack");
  CHECK(Find(pod, &owner).problem ==
        "gangplan.io/size: missing, and no owner tells how many members start together");
  // A label of others names it, where it has one.
  SetWord(pod.labels, "scheduling.x-k8s.io/pod-group", "other");
  CHECK(OwnerOf(pod)->uid == "PodGroup team/other");
  // The pods of a Job are a gang of that one's size.
  const OwnerFacts job = JobOwner({.size = 4});
  PodFacts of_job = JobPod({.size = 4}, 0);
  of_job.scheduling_group = "train";
  CHECK(Find(of_job, &job).key == GroupKey{"Job", "team", "train", "job-train"});
}

}  // namespace gangplan::native_group_test
