// Groups that pods name in the words of other systems.
#include <set>
#include <string>
#include <utility>

#include "extender/frontends/named_group.h"

#include "extender/frontends/limits.h"
#include "extender/frontends/owner.h"
#include "tests/extender/frontends/found_group.h"
#include "tests/support/catch.h"

namespace gangplan::named_group_test {
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

TEST_CASE("Named group: a pod of a Kueue pod group says by which label it is ranked") {
  PodFacts pod = Bare({{"kueue.x-k8s.io/pod-group-pod-index-label", "my.io/rank"},
                       {"kueue.x-k8s.io/pod-group-total-count", "6"}});
  SetWord(pod.labels, "my.io/rank", "3");
  CHECK(Find(pod, nullptr).kind == Kind::kForeign);
  SetWord(pod.labels, "kueue.x-k8s.io/pod-group-name", "ring");
  const GroupSpec found = Find(pod, nullptr);
  CHECK(found.rank == 3);
  CHECK(found.origins.ranks == "my.io/rank (kueue.x-k8s.io/pod-group-pod-index-label)");
  SetWord(pod.labels, "my.io/rank", "x");
  CHECK(Find(pod, nullptr).kind == Kind::kInvalid);
  // What Kueue has copied counts.
  SetWord(pod.labels, "kueue.x-k8s.io/pod-group-pod-index", "4");
  CHECK(Find(pod, nullptr).rank == 4);
  pod.labels = {{"kueue.x-k8s.io/pod-group-name", "ring"}};
  CHECK(Find(pod, nullptr).problem ==
        "kueue.x-k8s.io/pod-group-pod-index-label: the pod has no label \"my.io/rank\"");
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
  CHECK(
      problem("grove.io/podgang", {{"gangplan.io/place", "rack=pack"}}) ==
      "grove.io/podgang: names a Grove PodGang whose size is not known; expected gangplan.io/size "
      "beside it");
  CHECK(problem("gang.scheduling.koordinator.sh/name") ==
        "gang.scheduling.koordinator.sh/name: names a Koordinator gang whose size is not known; "
        "expected gang.scheduling.koordinator.sh/min-available or gangplan.io/size beside it");
  CHECK(problem("scheduling.x-k8s.io/pod-group") ==
        "gangplan.io/size: missing, and PodGroup ring could not be read: it is gone, or gangplan "
        "may not get PodGroup of scheduling.x-k8s.io/v1alpha1 (its rights: ClusterRole "
        "gangplan-pod-groups)");
  for (const auto& [key, version] : {std::pair("pod-group.scheduling.sigs.k8s.io", "sigs.k8s.io"),
                                     std::pair("scheduling.k8s.io/group-name", "volcano.sh"),
                                     std::pair("scheduling.volcano.sh/group-name", "volcano.sh")}) {
    CHECK(problem(key).find(fmt::format("may not get PodGroup of scheduling.{}/", version)) !=
          std::string::npos);
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
  CHECK_FALSE(found.sizing.patience);
  owner.patience = 30;
  CHECK(Find(pod, &owner).sizing.patience == absl::Seconds(30));
  owner.patience = 1'000'000;
  CHECK(Find(pod, &owner).sizing.patience == kMaxPatience);
  // A size on the pod is the whole of it, and nobody has to be read but the pod's own controller.
  SetWord(pod.annotations, "gangplan.io/size", "3");
  CHECK(OwnerOf(pod) == pod.controller);
  CHECK_FALSE(Find(pod, nullptr).sizing.at_least);
  owner.size = 0;
  std::erase_if(pod.annotations, [](const auto& one) { return one.first == "gangplan.io/size"; });
  CHECK(Find(pod, &owner).problem == "PodGroup ring: 0 members; expected 1 to 50000");
}

TEST_CASE("Named group: PodGroups of one name are as many gangs as there are systems") {
  std::set<std::string> kinds, uids;
  for (const char* key : {"scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io",
                          "scheduling.volcano.sh/group-name"}) {
    PodFacts pod = ForeignPod("p", 1);
    SetWord(pod.labels, key, "ring");
    OwnerFacts owner;
    owner.ref = *OwnerOf(pod);
    CHECK(owner.ref.kind == "PodGroup");
    owner.size = 3;
    owner.at_least = true;
    const GroupSpec found = Find(pod, &owner);
    CHECK(found.kind == Kind::kMember);
    CHECK(found.sizing.at_least);
    kinds.insert(found.key.kind);
    uids.insert(owner.ref.uid);
  }
  CHECK(kinds == std::set<std::string>{"Koordinator PodGroup", "PodGroup", "Volcano PodGroup"});
  CHECK(uids.size() == 3);
}

TEST_CASE("Named group: a gang of Koordinator's tells by its pods how many start at least") {
  const LabelSet least = {{"gang.scheduling.koordinator.sh/min-available", "3"},
                          {"gang.scheduling.koordinator.sh/mode", "NonStrict"},
                          {"gang.scheduling.koordinator.sh/name", "ring"},
                          {"gang.scheduling.koordinator.sh/total-number", "5"}};
  PodFacts pod = Bare(least);
  const GroupSpec found = Find(pod, nullptr);
  CHECK(found.kind == Kind::kMember);
  CHECK(found.key == GroupKey{"Koordinator gang", "team", "ring", ""});
  CHECK(found.size() == 3);
  CHECK(found.sizing.at_least);
  CHECK(found.sizing.least == 3);
  CHECK_FALSE(found.sizing.by_owner);
  CHECK_FALSE(found.sizing.patience);
  // Beside a Job it is the gang as well: it has said so itself.
  const OwnerFacts owner = JobOwner({.size = 8});
  PodFacts of_job = JobPod({.size = 8}, 1);
  for (const auto& [key, value] : least) SetWord(of_job.annotations, key, value);
  CHECK(Find(of_job, &owner).key == found.key);
  CHECK(Find(of_job, &owner).size() == 3);
  // A size of ours is the whole of it.
  SetWord(pod.annotations, "gangplan.io/size", "4");
  CHECK(Find(pod, nullptr).size() == 4);
  CHECK_FALSE(Find(pod, nullptr).sizing.at_least);
  // The light form.
  PodFacts light = Bare({});
  light.labels = {{"pod-group.scheduling.sigs.k8s.io/min-available", "2"},
                  {"pod-group.scheduling.sigs.k8s.io/name", "ring"}};
  CHECK(Find(light, nullptr).key == found.key);
  CHECK(Find(light, nullptr).sizing.least == 2);
  light.labels.erase(light.labels.begin());
  SetWord(light.annotations, "gang.scheduling.koordinator.sh/min-available", "4");
  CHECK(Find(light, nullptr).sizing.least == 4);
  for (const char* none : {"0", "50001", "x", ""}) {
    SetWord(light.annotations, "gang.scheduling.koordinator.sh/min-available", none);
    CHECK(Find(light, nullptr).kind == Kind::kInvalid);
  }
}

TEST_CASE("Named group: how long a gang of Koordinator's waits for who is missing") {
  const auto patience = [](std::string_view told) {
    PodFacts pod = Bare({{"gang.scheduling.koordinator.sh/min-available", "3"},
                         {"gang.scheduling.koordinator.sh/name", "ring"}});
    SetWord(pod.annotations, "gang.scheduling.koordinator.sh/waiting-time", told);
    return Find(pod, nullptr).sizing.patience;
  };
  CHECK(patience("90s") == absl::Seconds(90));
  CHECK(patience("1h30m") == absl::Minutes(90));
  CHECK(patience("48h") == kMaxPatience);
  for (const char* none : {"", "0s", "-5s", "90", "soon", "inf", "+inf"})
    CHECK_FALSE(patience(none));
}

TEST_CASE("Named group: what nobody here reads of another system's gang is told") {
  const auto problem = [](const LabelSet& words) {
    PodFacts pod = Bare({{"gang.scheduling.koordinator.sh/min-available", "3"},
                         {"gang.scheduling.koordinator.sh/name", "ring"}});
    for (const auto& [key, value] : words) SetWord(pod.annotations, key, value);
    return Find(pod, nullptr).problem;
  };
  const std::string groups = "gang.scheduling.koordinator.sh/groups";
  CHECK(problem({{groups, R"(["team/ring"])"}}).empty());
  CHECK(problem({{groups, "[]"}}).empty());
  CHECK(problem({{groups, "not a list"}}).empty());
  CHECK(
      problem({{groups, R"(["team/ring","team/other"])"}}) ==
      "gang.scheduling.koordinator.sh/groups: gangs that start together are not read; expected one "
      "gang, or gangplan.io/group on the pods of all");
  CHECK(problem({{"gang.scheduling.koordinator.sh/network-topology-spec", "{}"}}) ==
        "gang.scheduling.koordinator.sh/network-topology-spec: is not read; expected "
        "gangplan.io/place");
  // Of a PodGroup they stand on that.
  PodFacts pod = ForeignPod("p", 1);
  SetWord(pod.labels, "pod-group.scheduling.sigs.k8s.io", "ring");
  OwnerFacts owner;
  owner.ref = *OwnerOf(pod);
  owner.size = 3;
  owner.at_least = true;
  owner.annotations = {{groups, R"(["team/other"])"}};
  CHECK(Find(pod, &owner).problem.starts_with(groups));
  SetWord(pod.labels, "scheduling.x-k8s.io/pod-group", "ring");
  owner.ref = *OwnerOf(pod);
  CHECK(Find(pod, &owner).problem.empty());
  owner.unmet = "spec.x: is not read";
  CHECK(Find(pod, &owner).problem == "PodGroup ring: spec.x: is not read");
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

static PodFacts OfLws(int worker) {
  PodFacts pod = ForeignPod("lws-0-1", 1);
  pod.controller = OwnerRef{"apps/v1", "StatefulSet", "lws-0", "uid-of-sts"};
  SetWord(pod.labels, "leaderworkerset.sigs.k8s.io/name", "lws");
  SetWord(pod.labels, "leaderworkerset.sigs.k8s.io/group-index", "0");
  SetWord(pod.labels, "leaderworkerset.sigs.k8s.io/worker-index", std::to_string(worker));
  SetWord(pod.annotations, "leaderworkerset.sigs.k8s.io/size", "4");
  return pod;
}

// LeaderWorkerSet makes PodGroups of Volcano itself (its gang scheduling provider "volcano").
TEST_CASE(
    "Named group: the pods of a LeaderWorkerSet are its replica's, whichever PodGroup they name") {
  for (const char* key : {"scheduling.k8s.io/group-name", "scheduling.x-k8s.io/pod-group"}) {
    for (const bool word : {false, true}) {
      PodFacts pod = OfLws(1);
      SetWord(pod.annotations, key, "lws-0");
      if (word) SetWord(pod.annotations, "gangplan.io/place", "rack=pack!");
      OwnerFacts owner;
      owner.ref = *OwnerOf(pod);
      owner.ns = "team";
      owner.size = 4;
      owner.at_least = true;
      const GroupSpec found = Find(pod, &owner);
      INFO(key << ": " << found.problem);
      CHECK(found.kind == GroupSpec::Kind::kMember);
      CHECK(found.size() == 4);
    }
  }
}

// Its provider says 1 where the workers are made when the leader is ready.
TEST_CASE("Named group: a leader that is to start before its workers are made is told") {
  PodFacts pod = OfLws(0);
  SetWord(pod.annotations, "scheduling.k8s.io/group-name", "lws-0");
  OwnerFacts owner;
  owner.ref = *OwnerOf(pod);
  owner.ns = "team";
  owner.size = 1;
  owner.at_least = true;
  CHECK(Find(pod, &owner).problem ==
        "Volcano PodGroup lws-0: 1 of 4 pods starts, and the workers are made when the leader is "
        "ready, so they never wait for each other; expected gangplan.io/start: first-member and "
        "gangplan.io/size on both templates");
  SetWord(pod.annotations, "gangplan.io/start", "first-member");
  CHECK(Find(pod, &owner).kind == Kind::kInvalid);
  SetWord(pod.annotations, "gangplan.io/size", "4");
  CHECK_FALSE(PodGroupOf(pod));
  const GroupSpec found = Find(pod, nullptr);
  CHECK(found.kind == Kind::kMember);
  CHECK(found.size() == 4);
  CHECK(found.sizing.one_by_one);
}

TEST_CASE("Named group: who is looked after as a part of more, without a group here") {
  PodFacts pod = Bare({});
  CHECK_FALSE(IsPartOfMore(pod));
  SECTION("KAI's annotation") { SetWord(pod.annotations, "pod-group-name", "pg-train"); }
  SECTION("a head of Ray's") { SetWord(pod.labels, "ray.io/group", "headgroup"); }
  SECTION("a pod of an MPIJob without labels") {
    pod.controller = OwnerRef{"kubeflow.org/v1", "MPIJob", "train", "uid"};
  }
  CHECK(IsPartOfMore(pod));
  for (const char* kind : {"ReplicaSet", "StatefulSet"}) {
    PodFacts serves = Bare({});
    serves.controller = OwnerRef{"apps/v1", kind, "web", "uid"};
    CHECK_FALSE(IsPartOfMore(serves));
  }
}

}  // namespace gangplan::named_group_test
