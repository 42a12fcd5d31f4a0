// What stands on an owner where nobody looks for it, what of it cannot be read, and what is about
// one of its pod sets alone.
#include "extender/frontends/owner.h"

#include "fmt/format.h"
#include "tests/extender/frontends/found_group.h"
#include "tests/support/catch.h"
#include "tests/support/jobset.h"

namespace gangplan::owner_words_test {
namespace {

using Kind = GroupSpec::Kind;

GroupSpec FindIn(const JobSetSpec& set, std::string_view part, int job, int index) {
  const OwnerFacts owner = OwnerOf(set);
  return Find(PodOf(set, part, job, index), &owner);
}

PodFacts RayPod(std::string_view group) {
  PodFacts pod = ForeignPod(fmt::format("ray-{}", group), 1);
  pod.controller = OwnerRef{"ray.io/v1", "RayCluster", "ray", "uid-of-ray"};
  pod.labels = {{"ray.io/group", std::string(group)}};
  return pod;
}

TEST_CASE("Owner: a word on the Jobs of a JobSet that their pods do not have is told on these") {
  JobSetSpec set = Training();
  for (JobSetPart& part : set.parts) part.words.clear();
  const auto told = [&](std::string_view key, std::string_view part) {
    OwnerFacts owner = OwnerOf(set);
    owner.pod_sets[1].annotations = {{std::string(key), "example.com/rack"}};
    return Find(PodOf(set, part, 0, 0), &owner);
  };
  const GroupSpec worker = told("gangplan.io/palce", "workers");
  CHECK(worker.misfit == Misfit::kUnknownWord);
  CHECK(worker.problem ==
        "JobSet train, workers: gangplan.io/palce: unknown word; did you mean gangplan.io/place?");
  for (const char* key :
       {"kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/require-topology"}) {
    CHECK(told(key, "workers").problem ==
          fmt::format("JobSet train, workers: {}: stands on the Job itself; expected on its pod "
                      "template",
                      key));
    CHECK(told(key, "driver").kind == Kind::kForeign);
  }
}

TEST_CASE("Owner: a rank on one template is that of its own pods") {
  JobSetSpec set = Training();
  SetWord(set.parts[0].words, "gangplan.io/rank", "0");
  CHECK(FindIn(set, "driver", 0, 0).rank == 0);
  CHECK(FindIn(set, "workers", 1, 1).rank == 3);
  CHECK(FindIn(set, "workers", 1, 1).size() == 5);
}

TEST_CASE("Owner: whose words cannot be read keeps all of its pods, and tells where that is") {
  const JobSetSpec set = Training();
  OwnerFacts owner = OwnerOf(set);
  owner.unread = Unread::kFaulty;
  owner.fault = "metadata.annotations.gangplan.io/hold: longer than 4096 bytes";
  PodFacts pod = PodOf(set, "workers", 0, 0);
  const std::string told =
      "JobSet train: metadata.annotations.gangplan.io/hold: longer than 4096 bytes";
  CHECK(Find(pod, &owner).problem == told);
  pod.annotations.clear();
  CHECK(Find(pod, &owner).problem == told);
  pod.annotations = {
      {"gangplan.io/group", "g"}, {"gangplan.io/place", "rack=pack!"}, {"gangplan.io/size", "4"}};
  CHECK(Find(pod, &owner).kind == Kind::kMember);  // it tells all
  owner.unread = Unread::kNo;
  owner.annotations = {{"gangplan.io/palce", "rack=pack!"}};
  CHECK(Find(pod, &owner).kind == Kind::kMember);  // whether its owner was read or not
  owner.annotations.clear();
  // Where only its count cannot be read, its words make the difference.
  owner.fault = "spec.replicatedJobs[0].replicas: -1";
  owner.pod_sets.clear();
  pod.annotations.clear();
  CHECK(Find(pod, &owner).kind == Kind::kForeign);
  owner.annotations = {{"gangplan.io/place", "rack=pack!"}};
  CHECK(Find(pod, &owner).problem == "JobSet train: spec.replicatedJobs[0].replicas: -1");
}

TEST_CASE("Owner: whose gang a pod is hangs on no count that changes") {
  OwnerFacts owner;
  owner.ref = {"ray.io/v1", "RayCluster", "ray", "uid-of-ray"};
  owner.pod_sets = {{"headgroup", 1, 1, {}, {}},
                    {"small", 1, 4, {}, {{"gangplan.io/place", "rack=pack!"}}},
                    {"big", 1, 0, {}, {}}};
  const GroupKey key = Find(RayPod("small"), &owner).key;
  CHECK(key.name == "ray-small");
  owner.pod_sets[2].each = 3;
  CHECK(Find(RayPod("small"), &owner).key == key);
  owner.pod_sets[1].each = 0;
  const GroupSpec none = Find(RayPod("small"), &owner);
  CHECK(none.key == key);
  CHECK(none.kind == Kind::kInvalid);
}

TEST_CASE("Owner: a PodGroup's label on one template alone is about the pods of that one") {
  OwnerFacts owner;
  owner.ref = {"ray.io/v1", "RayCluster", "ray", "uid-of-ray"};
  const std::string key = "scheduling.x-k8s.io/pod-group";
  owner.pod_sets = {{"headgroup", 1, 1, {}, {}}, {"small", 1, 2, {{key, "pg"}}, {}}};
  PodFacts small = RayPod("small");
  SetWord(small.labels, key, "pg");
  const GroupSpec found = Find(small, &owner);
  CHECK(found.kind == Kind::kMember);
  CHECK(found.key == GroupKey{"RayCluster", "team", "ray-small", "uid-of-ray"});
  CHECK(found.pod_sets == std::vector<PodSetCount>{{"small", 2}});
  CHECK(Find(RayPod("headgroup"), &owner).kind == Kind::kForeign);
  // On two it is about all, also about those that do not bear it.
  owner.pod_sets.push_back({"big", 1, 3, {{key, "pg"}}, {}});
  for (const PodFacts& pod : {small, RayPod("headgroup")}) {
    CHECK(Find(pod, &owner).kind == Kind::kMember);
    CHECK(Find(pod, &owner).key.name == "ray");
    CHECK(Find(pod, &owner).size() == 6);
  }
  // Whoever adds it to pods whose templates lack it adds it to all of them.
  for (OwnerPodSet& set : owner.pod_sets) set.labels.clear();
  CHECK(Find(small, &owner).size() == 6);
}

TEST_CASE("Owner: a slice of a JobSet's pods is one of its Jobs where nobody says otherwise") {
  JobSetSpec set{.parts = {{.name = "workers", .jobs = 2, .each = 4}}};
  set.parts[0].words = {{"kueue.x-k8s.io/podset-slice-required-topology", "example.com/rack"}};
  const GroupSpec found = FindIn(set, "workers", 1, 3);
  CHECK(found.problem == "");
  REQUIRE(found.rules[1]);
  CHECK(found.rules[1]->factor == 4);
  CHECK(found.words == FindIn(set, "workers", 0, 0).words);
  SetWord(set.parts[0].words, "kueue.x-k8s.io/podset-slice-size", "2");
  CHECK(FindIn(set, "workers", 1, 3).rules[1]->factor == 2);
  // No other kind has such a default.
  JobSpec job{.words = {{"kueue.x-k8s.io/podset-slice-required-topology", "example.com/rack"}}};
  const OwnerFacts owner = JobOwner(job);
  CHECK(Find(JobPod(job, 0), &owner).problem ==
        "kueue.x-k8s.io/podset-slice-size: expected a size beside "
        "kueue.x-k8s.io/podset-slice-required-topology");
}

TEST_CASE("Owner: a StatefulSet's ranks count from its first index, those of a group do not") {
  OwnerFacts owner;
  owner.ref = {"apps/v1", "StatefulSet", "web", "uid-of-web"};
  owner.size = 4;
  owner.first_index = 3;
  PodFacts pod = Bare({{"gangplan.io/place", "rack=pack!"}});
  pod.controller = owner.ref;
  const auto rank = [&](std::string_view index) {
    SetWord(pod.labels, "apps.kubernetes.io/pod-index", index);
    return Find(pod, &owner).rank;
  };
  CHECK(rank("3") == 0);
  CHECK(rank("6") == 3);
  CHECK(rank("2") == -1);                                 // from before it began there
  SetWord(pod.annotations, "gangplan.io/group", "both");  // two sets may have one row of indices
  CHECK(rank("3") == 3);
}

}  // namespace
}  // namespace gangplan::owner_words_test
