#include "extender/frontends/gangplan/words.h"
#include "extender/frontends/limits.h"
#include "fmt/format.h"
#include "tests/extender/frontends/found_group.h"
#include "tests/support/catch.h"

namespace gangplan::find_group_test {
namespace {

using Kind = GroupSpec::Kind;

}  // namespace

TEST_CASE("Spec: a Job speaks through its pods") {
  JobSpec job{.name = "train", .size = 8, .place = "rack=pack!"};
  OwnerFacts owner = JobOwner(job);
  GroupSpec found = Find(JobPod(job, 3), &owner);
  CHECK(found.kind == Kind::kMember);
  CHECK(found.key == GroupKey{"Job", "team", "train", "job-train"});
  CHECK(found.size() == 8);
  CHECK(found.rank == 3);
  CHECK(found.place == "rack=pack!");
  CHECK(found.rules[1]->hard);
}

TEST_CASE("Spec: a Job speaks through its own annotations") {
  JobSpec job;
  OwnerFacts owner = JobOwner(job);
  owner.annotations = {{"gangplan.io/place", "block=pack!"}};
  GroupSpec found = Find(JobPod(job, 0), &owner);
  CHECK(found.kind == Kind::kMember);
  CHECK(found.place == "block=pack!");
}

TEST_CASE("Spec: the pod's word wins over its owner's") {
  JobSpec job{.place = "rack=pack"};
  OwnerFacts owner = JobOwner(job);
  owner.annotations = {{"gangplan.io/place", "block=pack!"}, {"gangplan.io/size", "2"}};
  GroupSpec found = Find(JobPod(job, 0), &owner);
  CHECK(found.place == "rack=pack");
  CHECK(found.size() == 2);
}

TEST_CASE("Spec: a Job without a word is foreign unless every Job is a group") {
  JobSpec job;
  OwnerFacts owner = JobOwner(job);
  CHECK(Find(JobPod(job, 0), &owner).kind == Kind::kForeign);
  FindGroupOptions all = TwoSchedulers();
  all.all_jobs = true;
  CHECK(Find(JobPod(job, 0), &owner, all).kind == Kind::kMember);
  PodFacts of_a_set = JobPod(job, 0);
  of_a_set.controller->kind = "ReplicaSet";
  CHECK(Find(of_a_set, &owner, all).kind == Kind::kForeign);
}

TEST_CASE("Spec: only pods of the named schedulers are members") {
  JobSpec job{.place = "rack=pack"};
  OwnerFacts owner = JobOwner(job);
  PodFacts pod = JobPod(job, 0);
  pod.scheduler_name = "second";
  CHECK(Find(pod, &owner).kind == Kind::kMember);
  pod.scheduler_name = "default-scheduler";
  CHECK(Find(pod, &owner).kind == Kind::kForeign);
}

TEST_CASE("Spec: the owner is asked for unless the pod says everything") {
  JobSpec job{.place = "rack=pack"};
  CHECK(FindGroup(JobPod(job, 0), nullptr, false, TwoSchedulers()).kind == Kind::kNeedsOwner);
  job.words = {{"gangplan.io/group", "g"}, {"gangplan.io/size", "4"}};
  GroupSpec found = FindGroup(JobPod(job, 0), nullptr, false, TwoSchedulers());
  CHECK(found.kind == Kind::kMember);
  CHECK(found.key == GroupKey{"group", "team", "g", ""});
}

TEST_CASE("Spec: a group by its label and a size") {
  PodFacts pod = Bare({{"gangplan.io/size", "3"}});
  pod.labels = {{"gangplan.io/group", "ring"}};
  GroupSpec found = Find(pod, nullptr);
  CHECK(found.kind == Kind::kMember);
  CHECK(found.key == GroupKey{"group", "team", "ring", ""});
  CHECK(found.size() == 3);
  CHECK(found.rank == -1);
}

TEST_CASE("Spec: a pod without a word and without an owner is foreign") {
  CHECK(Find(Bare({}), nullptr).kind == Kind::kForeign);
}

TEST_CASE("Spec: a key of ours that nobody knows makes nobody foreign") {
  const std::string place = "unknown word; did you mean gangplan.io/place?";
  PodFacts pod = Bare({{"gangplan.io/plase", "rack=pack"}});
  GroupSpec found = Find(pod, nullptr);
  CHECK(found.kind == Kind::kInvalid);
  CHECK(found.key == GroupKey{"Pod", "team", "p", pod.uid});
  CHECK(found.problem == "gangplan.io/plase: " + place);
  CHECK(found.misfit == Misfit::kUnknownWord);
  pod.scheduler_name = "default-scheduler";
  CHECK(Find(pod, nullptr).kind == Kind::kForeign);
  PodFacts labelled = Bare({});
  labelled.labels = {{"gangplan.io/gruop", "ring"}};
  CHECK(Find(labelled, nullptr).problem ==
        "gangplan.io/gruop: unknown word; did you mean gangplan.io/group?");
  labelled.labels = {{"gangplan.io/size", "4"}};
  CHECK(Find(labelled, nullptr).problem == "gangplan.io/size: is a label; expected an annotation");
  // Beside the annotation it is somebody's way to select pods.
  labelled.annotations = {{"gangplan.io/group", "ring"}, {"gangplan.io/size", "4"}};
  CHECK(Find(labelled, nullptr).kind == Kind::kMember);
  OwnerFacts owner = JobOwner({});
  owner.annotations = {{"gangplan.io/places", "rack=pack"}};
  CHECK(FindGroup(JobPod({}, 0), nullptr, false, TwoSchedulers()).kind == Kind::kNeedsOwner);
  CHECK(Find(JobPod({}, 0), &owner).problem == "Job train: gangplan.io/places: " + place);
}

TEST_CASE("Spec: words of Kueue's on an owner are read by nobody, but for those of its drafts") {
  OwnerFacts owner = JobOwner({});
  owner.annotations = {{"kueue.x-k8s.io/podset-required-topology", "topology/rack"}};
  GroupSpec found = Find(JobPod({}, 0), &owner);
  CHECK(found.problem ==
        "Job train: kueue.x-k8s.io/podset-required-topology: stands on the Job itself; expected "
        "on its pod template");
  CHECK(found.misfit == Misfit::kUnknownWord);
  JobSpec job{.words = {{"kueue.x-k8s.io/podset-unconstrained-topology", "true"}}};
  CHECK(Find(JobPod(job, 0), &owner).kind == Kind::kMember);  // its template has words
  owner.annotations = {{"kueue.x-k8s.io/prefer-topology", "auto"}};
  found = Find(JobPod({}, 0), &owner);
  CHECK(found.kind == Kind::kMember);
  CHECK(found.key == GroupKey{"Job", "team", "train", "job-train"});
  CHECK(found.place == "preferred node");
  CHECK(Find(JobPod(job, 0), &owner).place == "unconstrained");  // the pod's own win
}

TEST_CASE("Spec: what we write on pods ourselves is known") {
  PodFacts pod = Bare({{"gangplan.io/assigned-domain", "b0/r0"},
                       {"gangplan.io/assigned-rank", "1"},
                       {"gangplan.io/plan", "ring.1"},
                       {"gangplan.io/wake", "2026-11-21T00:00:00Z"}});
  CHECK(Find(pod, nullptr).kind == Kind::kForeign);
  CHECK_FALSE(SpeaksOfGroup(pod));
}

TEST_CASE("Spec: which pods speak of a group by themselves") {
  PodFacts pod = Bare({});
  CHECK_FALSE(SpeaksOfGroup(pod));
  pod.labels = {{"app", "web"}, {"batch.kubernetes.io/job-name", "train"}};
  CHECK_FALSE(SpeaksOfGroup(pod));
  for (const char* key :
       {"gangplan.io/group", "sakkara.group.name", "scheduling.x-k8s.io/pod-group",
        "pod-group.scheduling.sigs.k8s.io", "kueue.x-k8s.io/pod-group-name", "gangplan.io/gruop",
        "kueue.x-k8s.io/podset-required-topology"}) {
    INFO(key);
    pod.labels = {{key, "ring"}};
    CHECK(SpeaksOfGroup(pod));
  }
  for (const char* key :
       {"gangplan.io/size", "gangplan.io/plase", "kueue.x-k8s.io/podset-required-topology",
        "kueue.x-k8s.io/require-topology", "kueue.x-k8s.io/podset-topology",
        "scheduling.k8s.io/group-name", "gang.scheduling.koordinator.sh/name"}) {
    INFO(key);
    CHECK(SpeaksOfGroup(Bare({{key, "4"}})));
  }
}

TEST_CASE("Spec: a pod alone is a group of one") {
  GroupSpec found =
      Find(Bare({{"gangplan.io/place", "rack=pack"}, {"gangplan.io/size", "1"}}), nullptr);
  CHECK(found.kind == Kind::kMember);
  CHECK(found.key.kind == "Pod");
}

TEST_CASE("Spec: ranks by word then by the owner's index") {
  JobSpec job{.place = "rack=pack"};
  OwnerFacts owner = JobOwner(job);
  PodFacts pod = JobPod(job, 3);
  SetWord(pod.annotations, "gangplan.io/rank", "1");
  CHECK(Find(pod, &owner).rank == 1);
  PodFacts labelled = JobPod(job, 0);
  labelled.annotations = {{"gangplan.io/place", "rack=pack"}};
  labelled.labels = {{"apps.kubernetes.io/pod-index", "2"}};
  CHECK(Find(labelled, &owner).rank == 2);
}

TEST_CASE("Spec: each contradiction is told in full") {
  JobSpec job{.place = "rack=pack"};
  OwnerFacts owner = JobOwner(job);
  auto problem = [&](const PodFacts& pod, const OwnerFacts* of) {
    GroupSpec found = Find(pod, of);
    CHECK(found.kind == Kind::kInvalid);
    return found.problem;
  };
  auto with = [&](std::string_view key, std::string_view value) {
    PodFacts pod = JobPod(job, 0);
    SetWord(pod.annotations, key, value);
    return problem(pod, &owner);
  };
  CHECK(with("gangplan.io/topology", "other") ==
        "gangplan.io/topology: there is no topology \"other\", only \"default\"");
  CHECK(with("gangplan.io/group", "") ==
        "gangplan.io/group: expected a name of 1 to 253 characters");
  CHECK(with("gangplan.io/group", std::string(254, 'g')) ==
        "gangplan.io/group: expected a name of 1 to 253 characters");
  CHECK(with("gangplan.io/size", "0") ==
        "gangplan.io/size: \"0\": expected a whole number from 1 to 50000");
  CHECK(with("gangplan.io/size", "50001") ==
        "gangplan.io/size: \"50001\": expected a whole number from 1 to 50000");
  CHECK(with("gangplan.io/rank", "50000") ==
        "gangplan.io/rank: \"50000\": expected a whole number from 0 to 49999");
  CHECK(with("gangplan.io/place", "rack") ==
        "gangplan.io/place: \"rack\": expected LEVEL=pack or LEVEL=spread");
  CHECK(
      problem(JobPod(job, 0), nullptr) ==
      "gangplan.io/size: missing, and Job train could not be read: it is gone, or gangplan may not "
      "get Job of batch/v1 (its rights: ClusterRole gangplan-owners)");
  OwnerFacts trainer = JobOwner(job);
  trainer.size.reset();  // of a kind whose size nobody reads
  CHECK(problem(JobPod(job, 0), &trainer) ==
        "gangplan.io/size: missing, and no owner tells how many members start together");
  trainer.size = 4;
  trainer.in_order = true;
  CHECK(
      problem(JobPod(job, 0), &trainer) ==
      "Job train: makes its next pod when the one before is ready, so its pods never wait for each "
      "other; expected spec.podManagementPolicy: Parallel, or gangplan.io/start: first-member");
  PodFacts first = JobPod(job, 0);
  SetWord(first.annotations, "gangplan.io/start", "first-member");
  CHECK(Find(first, &trainer).kind == Kind::kMember);
  trainer.size = 1;
  CHECK(Find(JobPod(job, 0), &trainer).kind == Kind::kMember);
  CHECK(problem(Bare({{"gangplan.io/size", "2"}}), nullptr) ==
        "gangplan.io/group: missing on a pod without an owner");
}

TEST_CASE("Spec: the owner's size within its limits") {
  JobSpec job{.place = "rack=pack"};
  OwnerFacts owner = JobOwner(job);
  for (int64_t size : {int64_t{1}, int64_t{kMaxGroupSize}}) {
    owner.size = size;
    CHECK(Find(JobPod(job, 0), &owner).size() == size);
  }
  for (int64_t size : {int64_t{0}, int64_t{kMaxGroupSize} + 1}) {
    owner.size = size;
    GroupSpec found = Find(JobPod(job, 0), &owner);
    CHECK(found.kind == Kind::kInvalid);
    CHECK(found.problem == fmt::format("Job train: {} members; expected 1 to 50000", size));
  }
}

TEST_CASE("Spec: the longest group name") {
  PodFacts pod = Bare({{"gangplan.io/group", std::string(253, 'g')}, {"gangplan.io/size", "2"}});
  CHECK(Find(pod, nullptr).kind == Kind::kMember);
}

TEST_CASE("Spec: a pod names its pod set among those listed") {
  PodFacts pod = Bare({{"gangplan.io/group", "ring"},
                       {"gangplan.io/pod-set", "workers"},
                       {"gangplan.io/pod-sets", "leader=1, workers=8"}});
  GroupSpec found = Find(pod, nullptr);
  CHECK(found.kind == Kind::kMember);
  CHECK(found.pod_sets == std::vector<PodSetCount>{{"leader", 1}, {"workers", 8}});
  CHECK(found.pod_set == 1);
  CHECK(found.size() == 9);
  SetWord(pod.annotations, "gangplan.io/size", "9");
  CHECK(Find(pod, nullptr).kind == Kind::kMember);
  SetWord(pod.annotations, "gangplan.io/size", "8");
  CHECK(Find(pod, nullptr).problem ==
        "gangplan.io/pod-sets: the pod sets leader=1,workers=8 are 9 members, but gangplan.io/size "
        "says 8");
  SetWord(pod.annotations, "gangplan.io/size", "9");
  SetWord(pod.annotations, "gangplan.io/pod-set", "ps");
  CHECK(Find(pod, nullptr).problem ==
        "gangplan.io/pod-set: \"ps\": expected one of leader, workers");
  std::erase_if(pod.annotations, [](const auto& word) { return word.first == kPodSetWord; });
  CHECK(Find(pod, nullptr).problem ==
        "gangplan.io/pod-set: missing; expected one of leader, workers");
}

TEST_CASE("Spec: the only pod set needs no name on the pod") {
  PodFacts pod = Bare({{"gangplan.io/group", "ring"}, {"gangplan.io/pod-sets", "main=8"}});
  GroupSpec found = Find(pod, nullptr);
  CHECK(found.kind == Kind::kMember);
  CHECK(found.pod_sets == std::vector<PodSetCount>{{"main", 8}});
  pod = Bare({{"gangplan.io/group", "ring"},
              {"gangplan.io/pod-set", std::string(64, 'n')},
              {"gangplan.io/size", "2"}});
  CHECK_THAT(Find(pod, nullptr).problem, StartsWith("gangplan.io/pod-set: \"nnnn"));
}

TEST_CASE("Spec: the owner may tell the pod sets, and is asked for what the pod leaves out") {
  JobSpec job{.words = {{"gangplan.io/group", "ring"},
                        {"gangplan.io/place", "rack=pack"},
                        {"gangplan.io/pod-sets", "leader=1,workers=8"}}};
  CHECK(FindGroup(JobPod(job, 0), nullptr, false, TwoSchedulers()).kind == Kind::kNeedsOwner);
  OwnerFacts owner = JobOwner(job);
  owner.annotations = {{"gangplan.io/pod-set", "leader"}};
  GroupSpec found = Find(JobPod(job, 0), &owner);
  CHECK(found.kind == Kind::kMember);
  CHECK(found.pod_set == 0);
  CHECK(found.size() == 9);
}

TEST_CASE("Spec: a label that is named has the rank") {
  PodFacts pod = Bare({{"gangplan.io/group", "ring"},
                       {"gangplan.io/rank-label", "example.com/index"},
                       {"gangplan.io/size", "9"}});
  CHECK(Find(pod, nullptr).problem ==
        "gangplan.io/rank-label: the pod has no label \"example.com/index\"");
  pod.labels = {{"apps.kubernetes.io/pod-index", "3"}, {"example.com/index", "5"}};
  GroupSpec found = Find(pod, nullptr);
  CHECK(found.rank == 5);
  CHECK_FALSE(found.indexed);
  SetWord(pod.labels, "example.com/index", "x");
  CHECK(Find(pod, nullptr).problem ==
        "example.com/index: \"x\": expected a whole number from 0 to 49999");
  SetWord(pod.annotations, "gangplan.io/rank", "1");
  CHECK(Find(pod, nullptr).rank == 1);
}

TEST_CASE("Spec: the index of a LeaderWorkerSet counts before its StatefulSet's") {
  PodFacts pod = Bare({{"gangplan.io/group", "ring"}, {"gangplan.io/size", "9"}});
  pod.labels = {{"apps.kubernetes.io/pod-index", "3"},
                {"leaderworkerset.sigs.k8s.io/worker-index", "5"}};
  GroupSpec found = Find(pod, nullptr);
  CHECK(found.rank == 5);
  CHECK(found.indexed);
  SetWord(pod.annotations, "gangplan.io/rank", "1");
  found = Find(pod, nullptr);
  CHECK(found.rank == 1);
  CHECK_FALSE(found.indexed);
}

namespace {

// Of a JobSet with `jobs` alike Jobs, the pod of this index in the Job of this number.
PodFacts JobSetPod(int job, int jobs, int index) {
  PodFacts pod = Bare({{"gangplan.io/group", "train"},
                       {"gangplan.io/pod-set", "workers"},
                       {"gangplan.io/pod-sets", "leader=1,workers=6"}});
  pod.labels = {{"batch.kubernetes.io/job-completion-index", fmt::format("{}", index)},
                {"jobset.sigs.k8s.io/job-index", fmt::format("{}", job)},
                {"jobset.sigs.k8s.io/replicatedjob-replicas", fmt::format("{}", jobs)}};
  return pod;
}

}  // namespace

TEST_CASE("Spec: the Jobs of a JobSet are counted one after the other") {
  std::vector<int32_t> ranks;
  for (int job = 0; job < 3; ++job) {
    for (int index = 0; index < 2; ++index)
      ranks.push_back(Find(JobSetPod(job, 3, index), nullptr).rank);
  }
  CHECK(ranks == std::vector<int32_t>{0, 1, 2, 3, 4, 5});
  CHECK(Find(JobSetPod(1, 3, 1), nullptr).indexed);
  PodFacts told = JobSetPod(1, 3, 1);
  SetWord(told.annotations, "gangplan.io/rank", "5");
  CHECK(Find(told, nullptr).rank == 5);
}

TEST_CASE("Spec: a JobSet's numbers that do not agree with the pod set give no rank") {
  CHECK(Find(JobSetPod(0, 3, 2), nullptr).rank == -1);   // two pods a Job
  CHECK(Find(JobSetPod(3, 3, 0), nullptr).rank == -1);   // three Jobs
  CHECK(Find(JobSetPod(0, 12, 0), nullptr).rank == -1);  // more Jobs than pods
  PodFacts pod = JobSetPod(1, 3, 0);
  std::erase_if(pod.labels, [](const auto& label) {
    return label.first == "jobset.sigs.k8s.io/replicatedjob-replicas";
  });
  CHECK(Find(pod, nullptr).rank == -1);
  CHECK(Find(pod, nullptr).kind == Kind::kMember);
  SetWord(pod.labels, "jobset.sigs.k8s.io/replicatedjob-replicas", "none");
  CHECK(Find(pod, nullptr).problem ==
        "jobset.sigs.k8s.io/replicatedjob-replicas: \"none\": expected a whole number from 1 to "
        "2147483647");
}

TEST_CASE("Spec: without a group's name each Job of a JobSet is a gang by its own index") {
  JobSpec job{.name = "train-2", .size = 4, .place = "rack=pack!"};
  OwnerFacts owner = JobOwner(job);
  PodFacts pod = JobPod(job, 3);
  SetWord(pod.labels, "jobset.sigs.k8s.io/job-index", "2");
  SetWord(pod.labels, "jobset.sigs.k8s.io/replicatedjob-replicas", "3");
  GroupSpec found = Find(pod, &owner);
  CHECK(found.key.kind == "Job");
  CHECK(found.rank == 3);
}

}  // namespace gangplan::find_group_test
