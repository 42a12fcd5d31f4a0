#include "extender/frontends/owner.h"

#include "extender/frontends/find_group.h"
#include "extender/frontends/limits.h"
#include "tests/support/catch.h"
#include "tests/support/jobset.h"

namespace gangplan::owner_test {
namespace {

using Kind = GroupSpec::Kind;

FindGroupOptions Options(bool all_jobs = false) {
  FindGroupOptions options;
  options.scheduler_names = {"gangplan"};
  options.topologies = {{ThreeLevels()}};
  options.all_jobs = all_jobs;
  return options;
}

GroupSpec Find(const JobSetSpec& set, std::string_view part, int job = 0, int index = 0) {
  const OwnerFacts owner = OwnerOf(set);
  return FindGroup(PodOf(set, part, job, index), &owner, true, Options());
}

TEST_CASE("Owner: a pod of a JobSet has the JobSet, any other one its controller") {
  PodFacts pod = PodOf(Training(), "workers", 1, 0);
  CHECK(OwnerOf(pod) == OwnerRef{"jobset.x-k8s.io/v1alpha2", "JobSet", "train", "set-train"});
  for (std::string_view label : {kJobSetName, kJobSetUid}) {
    PodFacts without = pod;
    SetWord(without.labels, label, "");
    CHECK(OwnerOf(without) == pod.controller);
    std::erase_if(without.labels, [&](const auto& one) { return one.first == label; });
    CHECK(OwnerOf(without) == pod.controller);
  }
  pod.controller->kind = "ReplicaSet";
  CHECK(OwnerOf(pod) == pod.controller);
  pod.controller.reset();
  CHECK_FALSE(OwnerOf(pod));
}

TEST_CASE("Owner: a JobSet is one gang, its replicated Jobs are pod sets, ranked Job after Job") {
  const JobSetSpec set = Training();
  const GroupSpec driver = Find(set, "driver");
  CHECK(driver.kind == Kind::kMember);
  CHECK(driver.key == GroupKey{"JobSet", "team", "train", "set-train"});
  CHECK(driver.pod_sets == std::vector<PodSetCount>{{"driver", 1}, {"workers", 4}});
  CHECK(driver.pod_set == 0);
  CHECK(driver.sizing.by_owner);
  std::vector<int32_t> ranks;
  for (int job = 0; job < 2; ++job) {
    for (int index = 0; index < 2; ++index) {
      const GroupSpec worker = Find(set, "workers", job, index);
      CHECK(worker.key == driver.key);
      CHECK(worker.pod_sets == driver.pod_sets);
      CHECK(worker.pod_set == 1);
      ranks.push_back(worker.rank);
    }
  }
  CHECK(ranks == std::vector<int32_t>{0, 1, 2, 3});
}

TEST_CASE("Owner: where one template alone speaks, its pods are the gang, the others nobody's") {
  JobSetSpec set = Training();
  set.parts[0].words.clear();
  const GroupSpec worker = Find(set, "workers", 1, 1);
  CHECK(worker.key == GroupKey{"JobSet", "team", "train-workers", "set-train"});
  CHECK(worker.pod_sets == std::vector<PodSetCount>{{"workers", 4}});
  CHECK(worker.rank == 3);
  CHECK(Find(set, "driver").kind == Kind::kForeign);
  // The only one of its JobSet has the JobSet's name.
  set.parts.erase(set.parts.begin());
  CHECK(Find(set, "workers").key.name == "train");
}

TEST_CASE("Owner: a word of the JobSet is about all of its pods, and one of two for a third") {
  JobSetSpec set = Training();
  for (JobSetPart& part : set.parts) part.words.clear();
  CHECK(Find(set, "workers").kind == Kind::kForeign);
  set.words = {{"gangplan.io/place", "block=pack!"}};
  CHECK(Find(set, "driver").size() == 5);
  CHECK(Find(set, "driver").place == "block=pack!");
  set = Training();
  set.parts.push_back({.name = "logs", .words = {}});
  const GroupSpec logs = Find(set, "logs");
  CHECK(logs.kind == Kind::kMember);
  CHECK(logs.place == "rack=pack!");
  CHECK(logs.size() == 6);
}

TEST_CASE("Owner: words of a replicated Job that stand on its Jobs alone are its pods', too") {
  JobSetSpec set = Training();
  const OwnerFacts owner = OwnerOf(set);
  PodFacts pod = PodOf(set, "workers", 0, 0);
  std::erase_if(pod.annotations, [](const auto& one) { return one.first == "gangplan.io/place"; });
  CHECK(FindGroup(pod, &owner, true, Options()).place == "rack=pack!");
}

TEST_CASE("Owner: of a JobSet that starts its Jobs in order each replicated Job is a gang") {
  JobSetSpec set = Training();
  set.in_order = true;
  CHECK(Find(set, "driver").key.name == "train-driver");
  CHECK(Find(set, "driver").size() == 1);
  CHECK(Find(set, "workers").key.name == "train-workers");
  CHECK(Find(set, "workers").size() == 4);
  set.parts[0].words.clear();
  CHECK(Find(set, "driver").kind == Kind::kForeign);
  set.words = {{"gangplan.io/place", "rack=pack!"}};
  CHECK(Find(set, "driver").size() == 1);
}

TEST_CASE("Owner: pods that were made anew are another incarnation") {
  JobSetSpec set = Training();
  set.restarts = 2;
  const GroupKey key = Find(set, "workers").key;
  CHECK(key.incarnation == "set-train/2");
  CHECK(key.IsOf("set-train"));
  CHECK_FALSE(key.IsOf("set-trai"));
  CHECK_FALSE(key.IsOf("set-train/2/"));
  CHECK_FALSE(GroupKey{"group", "team", "g", ""}.IsOf(""));
}

TEST_CASE("Owner: words that name a group or count it stand as on the pods of a Job") {
  JobSetSpec set = Training();
  set.parts[1].words = {{"gangplan.io/group", "g"}, {"gangplan.io/size", "7"}};
  GroupSpec found = Find(set, "workers", 1, 1);
  CHECK(found.key == GroupKey{"group", "team", "g", ""});
  CHECK(found.size() == 7);
  set.parts[1].words = {{"gangplan.io/group", "g"}};
  CHECK(Find(set, "workers").size() == 2);  // of one Job
  set.parts[1].words = {{"gangplan.io/size", "2"}};
  found = Find(set, "workers", 1, 1);
  CHECK(found.key == GroupKey{"Job", "team", "train-workers-1", "set-train-workers-1-0"});
  CHECK(found.size() == 2);
  CHECK(found.rank == 1);
}

TEST_CASE("Owner: with groups.jobs: all a JobSet without a word is one gang") {
  JobSetSpec set = Training();
  for (JobSetPart& part : set.parts) part.words.clear();
  const OwnerFacts owner = OwnerOf(set);
  const GroupSpec found = FindGroup(PodOf(set, "workers", 0, 0), &owner, true, Options(true));
  CHECK(found.key.kind == "JobSet");
  CHECK(found.size() == 5);
}

TEST_CASE("Owner: a JobSet that cannot be read is told, and so is one that is too large") {
  JobSetSpec set = Training();
  const PodFacts pod = PodOf(set, "workers", 0, 0);
  CHECK(FindGroup(pod, nullptr, false, Options()).kind == Kind::kNeedsOwner);
  CHECK(
      FindGroup(pod, nullptr, true, Options()).problem ==
      "gangplan.io/size: missing, and JobSet train could not be read: it is gone, or gangplan "
      "may not get JobSet of jobset.x-k8s.io/v1alpha2 (its rights: ClusterRole gangplan-jobsets)");
  set.parts[1].jobs = kMaxGroupSize / 2;
  set.parts[0].jobs = 0;
  CHECK(Find(set, "workers").kind == Kind::kMember);
  set.parts[0].jobs = 1;
  CHECK(Find(set, "workers").problem == "JobSet train: 50001 members; expected 1 to 50000");
  set.parts[1].jobs = 1;
  while (set.parts.size() < kMaxPodSets)
    set.parts.push_back({.name = fmt::format("more-{}", set.parts.size())});
  CHECK(Find(set, "driver").kind == Kind::kMember);
  set.parts.push_back({.name = "last"});
  CHECK(Find(set, "driver").problem ==
        "JobSet train: 17 pod sets in one gang; expected 16 at most");
}

TEST_CASE(
    "Owner: a ReplicaSet that a rollout has made a part of is told with what all of it wants") {
  PodFacts pod = ForeignPod("web-1", 1);
  pod.scheduler_name = "gangplan";
  pod.controller = OwnerRef{"apps/v1", "ReplicaSet", "web-abc", "set"};
  pod.annotations = {{"gangplan.io/place", "rack=pack!"}};
  OwnerFacts owner;
  owner.ref = *pod.controller;
  owner.size = 2;
  const auto told = [&] { return FindGroup(pod, &owner, true, Options()).origins.size; };
  CHECK(told() == "ReplicaSet web-abc (spec.replicas)");
  owner.annotations = {{"deployment.kubernetes.io/desired-replicas", "4"}};
  CHECK(told() ==
        "ReplicaSet web-abc (spec.replicas), of the 4 of its Deployment: its rollout makes some "
        "after others, which start by themselves; strategy Recreate, or maxUnavailable: 100% with "
        "maxSurge: 0, makes all at once");
  owner.size = 4;
  CHECK(told() == "ReplicaSet web-abc (spec.replicas)");
}

TEST_CASE("Owner: a pod of a replicated Job that its JobSet does not have is no gang's by it") {
  const JobSetSpec set = Training();
  const OwnerFacts owner = OwnerOf(set);
  PodFacts pod = PodOf(set, "workers", 0, 0);
  SetWord(pod.labels, kReplicatedJob, "others");
  CHECK(FindGroup(pod, &owner, true, Options()).kind == Kind::kInvalid);
}

TEST_CASE("Owner: a key that nobody reads is told, on the JobSet as on a template") {
  JobSetSpec set = Training();
  set.words = {{"gangplan.io/palce", "rack=pack!"}};
  CHECK(Find(set, "driver").problem.starts_with("JobSet train: gangplan.io/palce: unknown"));
  for (JobSetPart& part : set.parts) part.words.clear();  // it is the only word that there is
  CHECK(Find(set, "driver").problem.starts_with("JobSet train: gangplan.io/palce: unknown"));
  set.words = {{"kueue.x-k8s.io/podset-required-topology", "example.com/rack"}};
  CHECK(Find(set, "driver").problem ==
        "JobSet train: kueue.x-k8s.io/podset-required-topology: stands on the JobSet itself; "
        "expected on its pod template");
}

// A pod of a job of Kubeflow's training operator, as that labels it.
PodFacts TrainerPod(std::string_view type, int index, const LabelSet& words) {
  PodFacts pod = ForeignPod(fmt::format("pt-{}-{}", type, index), 1);
  pod.controller = OwnerRef{"kubeflow.org/v1", "PyTorchJob", "pt", "uid-of-pt"};
  pod.labels = {{"training.kubeflow.org/replica-index", fmt::format("{}", index)},
                {"training.kubeflow.org/replica-type", std::string(type)}};
  pod.annotations = words;
  return pod;
}

OwnerFacts Trainer(const LabelSet& words) {
  OwnerFacts owner;
  owner.ref = {"kubeflow.org/v1", "PyTorchJob", "pt", "uid-of-pt"};
  owner.ns = "team";
  owner.pod_sets = {{"master", 1, 1, {}, words}, {"worker", 1, 4, {}, words}};
  return owner;
}

TEST_CASE("Owner: the replicas of a job of Kubeflow's are the pod sets of one gang") {
  const LabelSet place = {{"gangplan.io/place", "rack=pack!"}};
  const OwnerFacts owner = Trainer(place);
  const GroupSpec worker = FindGroup(TrainerPod("worker", 3, place), &owner, true, Options());
  CHECK(worker.kind == Kind::kMember);
  CHECK(worker.key == GroupKey{"PyTorchJob", "team", "pt", "uid-of-pt"});
  CHECK(worker.pod_sets == std::vector<PodSetCount>{{"master", 1}, {"worker", 4}});
  CHECK(worker.pod_set == 1);
  CHECK(worker.rank == 3);
  const GroupSpec master = FindGroup(TrainerPod("master", 0, place), &owner, true, Options());
  CHECK(master.key == worker.key);
  CHECK(master.pod_set == 0);
  // By the words of one type alone, that one; by the job's own, all; without any, nobody.
  OwnerFacts one = Trainer({});
  one.pod_sets[1].annotations = place;
  CHECK(FindGroup(TrainerPod("worker", 3, place), &one, true, Options()).key.name == "pt-worker");
  CHECK(FindGroup(TrainerPod("master", 0, {}), &one, true, Options()).kind == Kind::kForeign);
  OwnerFacts whole = Trainer({});
  whole.annotations = place;
  CHECK(FindGroup(TrainerPod("master", 0, {}), &whole, true, Options()).size() == 5);
  const OwnerFacts silent = Trainer({});
  CHECK(FindGroup(TrainerPod("worker", 0, {}), &silent, true, Options()).kind == Kind::kForeign);
}

// As the MPI operator makes it: the launcher by a Job.
PodFacts MpiPod(std::string_view role, int index, std::string_view label) {
  PodFacts pod = ForeignPod(fmt::format("pi-{}-{}", role, index), 1);
  pod.controller = role == "worker" ? OwnerRef{"kubeflow.org/v2beta1", "MPIJob", "pi", "uid-of-pi"}
                                    : OwnerRef{"batch/v1", "Job", "pi-launcher", "uid-of-job"};
  pod.labels = {{"training.kubeflow.org/job-role", std::string(role)}};
  if (!label.empty()) SetWord(pod.labels, "training.kubeflow.org/replica-index", label);
  return pod;
}

OwnerFacts MpiJob(const LabelSet& words) {
  OwnerFacts owner;
  owner.ref = {"kubeflow.org/v2beta1", "MPIJob", "pi", "uid-of-pi"};
  owner.ns = "team";
  owner.annotations = words;
  owner.pod_sets = {{"launcher", 1, 1, {}, {}}, {"worker", 1, 4, {}, {}}};
  return owner;
}

TEST_CASE("Owner: an MPIJob and its launcher's Job are one gang, ranked by the workers' names") {
  const OwnerFacts owner = MpiJob({{"gangplan.io/place", "rack=pack!"}});
  // Whether the launcher counts as a worker or not, which the label alone does not tell.
  for (std::string_view label : {"2", "3"}) {
    const GroupSpec worker = FindGroup(MpiPod("worker", 2, label), &owner, true, Options());
    CHECK(worker.kind == Kind::kMember);
    CHECK(worker.key == GroupKey{"MPIJob", "team", "pi", "uid-of-pi"});
    CHECK(worker.pod_sets == std::vector<PodSetCount>{{"launcher", 1}, {"worker", 4}});
    CHECK(worker.pod_set == 1);
    CHECK(worker.rank == 2);
    CHECK_FALSE(worker.indexed);  // no offset of Kueue's shifts it again
  }
  OwnerFacts job = owner;
  job.part_of = owner.ref;
  job.ref = {"batch/v1", "Job", "pi-launcher", "uid-of-job"};
  const GroupSpec launcher = FindGroup(MpiPod("launcher", 0, ""), &job, true, Options());
  CHECK(launcher.key == GroupKey{"MPIJob", "team", "pi", "uid-of-pi"});
  CHECK(launcher.pod_set == 0);
  CHECK(launcher.size() == 5);
  const OwnerFacts silent = MpiJob({});
  CHECK(FindGroup(MpiPod("worker", 0, "0"), &silent, true, Options()).kind == Kind::kForeign);
}

PodFacts RayPod(std::string_view group) {
  PodFacts pod = ForeignPod(fmt::format("ray-{}", group), 1);
  pod.controller = OwnerRef{"ray.io/v1", "RayCluster", "ray", "uid-of-ray"};
  pod.labels = {{"ray.io/group", std::string(group)}};
  return pod;
}

TEST_CASE("Owner: a RayCluster is one gang of its head and its groups of workers") {
  OwnerFacts owner;
  owner.ref = {"ray.io/v1", "RayCluster", "ray", "uid-of-ray"};
  owner.annotations = {{"gangplan.io/place", "rack=pack!"}};
  owner.pod_sets = {{"headgroup", 1, 1, {}, {}}, {"small", 1, 4, {}, {}}, {"big", 1, 0, {}, {}}};
  const GroupSpec head = FindGroup(RayPod("headgroup"), &owner, true, Options());
  CHECK(head.kind == Kind::kMember);
  CHECK(head.key == GroupKey{"RayCluster", "team", "ray", "uid-of-ray"});
  CHECK(head.pod_sets == std::vector<PodSetCount>{{"headgroup", 1}, {"small", 4}, {"big", 0}});
  CHECK(head.sizing.by_owner);
  CHECK(FindGroup(RayPod("small"), &owner, true, Options()).pod_set == 1);
  // It is there, so its cluster says something else by now.
  const GroupSpec big = FindGroup(RayPod("big"), &owner, true, Options());
  CHECK(big.key == head.key);
  CHECK(big.problem == "RayCluster ray: had no pods of \"big\" when it was read; it is read again");
}

TEST_CASE("Owner: the label of the ranks is that of the pods that have it") {
  OwnerFacts owner = MpiJob({{"gangplan.io/place", "rack=pack!"}});
  owner.pod_sets[1].annotations = {{"gangplan.io/rank-label", "example.com/index"}};
  PodFacts worker = MpiPod("worker", 2, "");
  SetWord(worker.labels, "example.com/index", "3");
  SetWord(worker.annotations, "gangplan.io/rank-label", "example.com/index");
  CHECK(FindGroup(worker, &owner, true, Options()).rank == 3);
  const PodFacts launcher = MpiPod("launcher", 0, "");
  CHECK(FindGroup(launcher, &owner, true, Options()).kind == Kind::kMember);
  // On the job it is about those that have such a label.
  owner.pod_sets[1].annotations.clear();
  SetWord(owner.annotations, "gangplan.io/rank-label", "example.com/index");
  worker.annotations.clear();
  CHECK(FindGroup(worker, &owner, true, Options()).rank == 3);
  CHECK(FindGroup(launcher, &owner, true, Options()).kind == Kind::kMember);
}

TEST_CASE("Owner: a launcher tells that its MPIJob cannot be read, and not its Job") {
  OwnerFacts job;
  job.ref = {"batch/v1", "Job", "pi-launcher", "uid-of-job"};
  job.part_of = OwnerRef{"kubeflow.org/v2beta1", "MPIJob", "pi", "uid-of-pi"};
  job.unread = Unread::kDenied;
  PodFacts launcher = MpiPod("launcher", 0, "");
  SetWord(launcher.annotations, "gangplan.io/place", "rack=pack!");
  CHECK(
      FindGroup(launcher, &job, true, Options()).problem ==
      "gangplan.io/size: missing, and MPIJob pi could not be read: gangplan may not get MPIJob of "
      "kubeflow.org/v2beta1 (its rights: ClusterRole gangplan-kubeflow)");
  job.unread = Unread::kGone;
  CHECK(FindGroup(launcher, &job, true, Options()).problem.ends_with(": it does not exist"));
  job.unread = Unread::kUnserved;
  CHECK(FindGroup(launcher, &job, true, Options())
            .problem.ends_with(": the cluster serves no MPIJob of kubeflow.org/v2beta1"));
}

TEST_CASE("Owner: a pod of which its owner did not tell is of its gang, and waits there") {
  OwnerFacts owner;
  owner.ref = {"ray.io/v1", "RayCluster", "ray", "uid-of-ray"};
  owner.pod_sets = {{"headgroup", 1, 1, {}, {}}};
  CHECK(FindGroup(RayPod("big"), &owner, true, Options()).kind == Kind::kForeign);
  owner.annotations = {{"gangplan.io/place", "rack=pack!"}};
  const GroupSpec big = FindGroup(RayPod("big"), &owner, true, Options());
  CHECK(big.kind == Kind::kInvalid);
  CHECK(big.key == GroupKey{"RayCluster", "team", "ray", "uid-of-ray"});
  CHECK(big.problem == "RayCluster ray: had no pods of \"big\" when it was read; it is read again");
}

TEST_CASE("Owner: a pod that no label tells the part of waits where its owner has words") {
  OwnerFacts owner = MpiJob({});
  PodFacts pod = MpiPod("worker", 2, "");
  pod.labels = {{"training.kubeflow.org/replica-type", "worker"}};
  CHECK(FindGroup(pod, &owner, true, Options()).kind == Kind::kForeign);
  owner.annotations = {{"gangplan.io/place", "rack=pack!"}};
  const GroupSpec spec = FindGroup(pod, &owner, true, Options());
  CHECK(spec.kind == Kind::kInvalid);
  CHECK(spec.key == GroupKey{"MPIJob", "team", "pi", "uid-of-pi"});
  CHECK(spec.problem ==
        "MPIJob pi: the pod has no label training.kubeflow.org/job-role, by which its pods tell "
        "what part of it they are; expected that, or gangplan.io/group and gangplan.io/size on its "
        "pods");
  // Its own words are as good as its owner's; those that count it need no owner.
  owner.annotations.clear();
  pod.annotations = {{"gangplan.io/place", "rack=pack!"}};
  CHECK(FindGroup(pod, &owner, true, Options()).problem == spec.problem);
  SetWord(pod.annotations, "gangplan.io/group", "g");
  SetWord(pod.annotations, "gangplan.io/size", "4");
  CHECK(FindGroup(pod, &owner, true, Options()).kind == Kind::kMember);
}

}  // namespace
}  // namespace gangplan::owner_test
