// Groups that pods name in the words of other systems.
#include "extender/frontends/limits.h"
#include "extender/frontends/owner.h"
#include "tests/extender/frontends/found_group.h"
#include "tests/support/catch.h"

namespace gangplan {
namespace {

using Kind = GroupSpec::Kind;

}  // namespace

TEST_CASE("Named group: Kueue's pod groups tell their size") {
  PodFacts pod = Bare({{"kueue.x-k8s.io/pod-group-total-count", "6"}});
  pod.labels = {{"kueue.x-k8s.io/pod-group-name", "ring"},
                {"kueue.x-k8s.io/pod-group-pod-index", "2"}};
  GroupSpec found = Find(pod, nullptr);
  CHECK(found.kind == Kind::kMember);
  CHECK(found.key == GroupKey{"Kueue pod group", "team", "ring", ""});
  CHECK(found.size() == 6);
  CHECK(found.rank == 2);
  CHECK_FALSE(found.sizing.by_owner);
  SetWord(pod.annotations, "gangplan.io/pod-sets", "driver=1,workers=4");
  SetWord(pod.annotations, "gangplan.io/pod-set", "workers");
  CHECK(Find(pod, nullptr).size() == 5);
  // A name of ours is another group, and a Job's size is not that of the pods of several.
  SetWord(pod.annotations, "gangplan.io/group", "other");
  CHECK(Find(pod, nullptr).key == GroupKey{"group", "team", "other", ""});
  PodFacts of_job = JobPod({.size = 3}, 1);
  SetWord(of_job.annotations, "kueue.x-k8s.io/pod-group-total-count", "9");
  SetWord(of_job.labels, "kueue.x-k8s.io/pod-group-name", "ring");
  const OwnerFacts owner = JobOwner({.size = 3});
  CHECK(Find(of_job, &owner).size() == 9);
  SetWord(of_job.annotations, "kueue.x-k8s.io/pod-group-serving", "true");
  CHECK(Find(of_job, &owner).kind == Kind::kForeign);
}

TEST_CASE("Named group: a group of others without its size waits for that") {
  const auto problem = [](std::string_view key, const LabelSet& annotations = {}) {
    PodFacts pod = Bare(annotations);
    SetWord(pod.labels, key, "ring");
    const GroupSpec found = Find(pod, nullptr);
    CHECK(found.kind == Kind::kInvalid);
    CHECK(found.misfit == Misfit::kUnsizedGroup);
    return found.problem;
  };
  CHECK(problem("kueue.x-k8s.io/pod-group-name") ==
        "kueue.x-k8s.io/pod-group-name: names a Kueue pod group whose size is not known; expected "
        "kueue.x-k8s.io/pod-group-total-count or gangplan.io/size beside it");
  CHECK(problem("scheduling.volcano.sh/group-name", {{"gangplan.io/place", "rack=pack"}}) ==
        "scheduling.volcano.sh/group-name: names a Volcano PodGroup whose size is not known; "
        "expected gangplan.io/size beside it");
  CHECK(problem("scheduling.x-k8s.io/pod-group") ==
        "gangplan.io/size: missing, and PodGroup ring could not be read: it is gone, or gangplan "
        "may not get PodGroup of scheduling.x-k8s.io/v1alpha1 (its rights: ClusterRole "
        "gangplan-pod-groups)");
  CHECK(problem("pod-group.scheduling.sigs.k8s.io") ==
        "pod-group.scheduling.sigs.k8s.io: names a PodGroup whose size is not known; expected "
        "gangplan.io/size beside it");
  for (const char* key : {"scheduling.k8s.io/group-name", "gang.scheduling.koordinator.sh/name",
                          "grove.io/podgang"}) {
    INFO(key);
    CHECK(problem(key).starts_with(key));
  }
  PodFacts sized = Bare({{"gangplan.io/size", "4"}});
  SetWord(sized.labels, "scheduling.x-k8s.io/pod-group", "ring");
  CHECK(Find(sized, nullptr).key == GroupKey{"PodGroup", "team", "ring", ""});
  // Where the owner tells the size, and words make a gang of its pods, it is the owner's.
  JobSpec job{.place = "rack=pack"};
  const OwnerFacts owner = JobOwner(job);
  PodFacts pod = JobPod(job, 0);
  SetWord(pod.labels, "scheduling.x-k8s.io/pod-group", "ring");
  CHECK(Find(pod, &owner).key == GroupKey{"Job", "team", "train", "job-train"});
}

TEST_CASE("Named group: the object of a group of coscheduling tells its least size") {
  PodFacts pod = ForeignPod("p", 1);
  pod.controller = OwnerRef{"example.com/v1", "Trainer", "t", "uid-of-t"};
  SetWord(pod.labels, "scheduling.x-k8s.io/pod-group", "ring");
  const OwnerRef ref{"scheduling.x-k8s.io/v1alpha1", "PodGroup", "ring", "PodGroup team/ring"};
  CHECK(OwnerOf(pod) == ref);
  CHECK(OwnerUidOf(pod) == ref.uid);
  CHECK(FindGroup(pod, nullptr, false, TwoSchedulers()).kind == Kind::kNeedsOwner);
  OwnerFacts owner;
  owner.ref = ref;
  owner.size = 2;
  owner.at_least = true;
  owner.annotations = {{"gangplan.io/place", "rack=pack!"}};
  const GroupSpec found = Find(pod, &owner);
  CHECK(found.kind == Kind::kMember);
  CHECK(found.key == GroupKey{"PodGroup", "team", "ring", ""});
  CHECK(found.size() == 2);
  CHECK(found.sizing.at_least);
  CHECK(found.sizing.by_owner);
  CHECK(found.place == "rack=pack!");
  // A size on the pod is the whole of it, and nobody has to be read but the pod's own controller.
  SetWord(pod.annotations, "gangplan.io/size", "3");
  CHECK(OwnerOf(pod) == pod.controller);
  CHECK_FALSE(Find(pod, nullptr).sizing.at_least);
  owner.size = 0;
  std::erase_if(pod.annotations, [](const auto& one) { return one.first == "gangplan.io/size"; });
  CHECK(Find(pod, &owner).problem == "PodGroup ring: 0 members; expected 1 to 50000");
}

TEST_CASE("Named group: a PodGroup's label makes a gang of an owner that tells its size") {
  JobSpec job{.size = 3};
  PodFacts pod = JobPod(job, 1);
  SetWord(pod.labels, "scheduling.x-k8s.io/pod-group", "ring");
  CHECK(OwnerOf(pod) == pod.controller);
  const OwnerFacts owner = JobOwner(job);
  const GroupSpec found = Find(pod, &owner);
  CHECK(found.kind == Kind::kMember);
  CHECK(found.key == GroupKey{"Job", "team", "train", "job-train"});
  CHECK(found.size() == 3);
  CHECK_FALSE(found.sizing.at_least);
  CHECK(Find(pod, nullptr)
            .problem.starts_with("gangplan.io/size: missing, and Job train could not be read"));
  // Its words are read, whatever the PodGroup says.
  OwnerFacts speaks = owner;
  speaks.annotations = {{"gangplan.io/place", "rack=pack!"}};
  CHECK(Find(pod, &speaks).place == "rack=pack!");
  // Of several pod sets all are one gang.
  OwnerFacts trainer;
  trainer.ref = {"kubeflow.org/v1", "PyTorchJob", "t", "uid-of-t"};
  trainer.pod_sets = {{"master", 1, 1, {}, {}}, {"worker", 1, 4, {}, {}}};
  pod.controller = trainer.ref;
  SetWord(pod.labels, "training.kubeflow.org/replica-type", "worker");
  CHECK(Find(pod, &trainer).key == GroupKey{"PyTorchJob", "team", "t", "uid-of-t"});
  CHECK(Find(pod, &trainer).size() == 5);
}

TEST_CASE("Named group: a PodGroup says how many of a ReplicaSet's pods start together") {
  for (const char* kind : {"ReplicaSet", "StatefulSet"}) {
    PodFacts pod = ForeignPod("p", 1);
    SetWord(pod.labels, "scheduling.x-k8s.io/pod-group", "ring");
    pod.controller = OwnerRef{"apps/v1", kind, "web", "uid-of-web"};
    CHECK(OwnerOf(pod)->uid == "PodGroup team/ring");
    OwnerFacts owner;
    owner.ref = *OwnerOf(pod);
    owner.size = 3;
    owner.at_least = true;
    const GroupSpec found = Find(pod, &owner);
    CHECK(found.key == GroupKey{"PodGroup", "team", "ring", ""});
    CHECK(found.size() == 3);
    CHECK(found.sizing.at_least);
  }
}

TEST_CASE("Named group: a controller with a PodGroup's name for its UID counts for none") {
  PodFacts pod = ForeignPod("p", 1);
  pod.controller = OwnerRef{"batch/v1", "Job", "x", "PodGroup victim/ring"};
  CHECK_FALSE(OwnerOf(pod));
  CHECK(MakerUidOf(pod).empty());
  pod = JobPod({}, 0);
  SetWord(pod.labels, "jobset.sigs.k8s.io/jobset-name", "x");
  SetWord(pod.labels, "jobset.sigs.k8s.io/jobset-uid", "PodGroup victim/ring");
  CHECK(OwnerOf(pod) == pod.controller);
}

TEST_CASE("Named group: the name and the count of a group of others have bounds") {
  const auto named = [](size_t length, std::string_view count) {
    PodFacts pod = Bare({});
    SetWord(pod.annotations, "kueue.x-k8s.io/pod-group-name", std::string(length, 'g'));
    SetWord(pod.annotations, "kueue.x-k8s.io/pod-group-total-count", count);
    return Find(pod, nullptr).problem;
  };
  CHECK(named(1, "1").empty());
  CHECK(named(kMaxGroupNameBytes, fmt::format("{}", kMaxGroupSize)).empty());
  const std::string_view name =
      "kueue.x-k8s.io/pod-group-name: expected a name of 1 to 253 characters";
  CHECK(named(0, "1") == name);
  CHECK(named(kMaxGroupNameBytes + 1, "1") == name);
  const std::string_view count = "kueue.x-k8s.io/pod-group-total-count: ";
  CHECK(named(1, "0") == fmt::format("{}\"0\": expected a whole number from 1 to 50000", count));
  CHECK(named(1, "50001").starts_with(count));
  CHECK(named(1, "many").starts_with(count));
}

}  // namespace gangplan
