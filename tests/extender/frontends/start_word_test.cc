// gangplan.io/start, a gang's own word for who starts when; and where a size and ranks come from.
#include "fmt/format.h"
#include "tests/extender/frontends/found_group.h"
#include "tests/support/catch.h"
#include "tests/support/jobset.h"

namespace gangplan::start_word_test {
namespace {

using Kind = GroupSpec::Kind;

GroupSpec Started(std::string_view word) {
  const JobSpec job{.size = 4};
  const OwnerFacts owner = JobOwner(job);
  PodFacts pod = JobPod(job, 1);
  SetWord(pod.annotations, "gangplan.io/start", word);
  return Find(pod, &owner);
}

Origins OriginsOf(PodFacts pod, const OwnerFacts* owner) {
  SetWord(pod.annotations, "gangplan.io/place", "rack=pack");
  return Find(pod, owner).origins;
}

}  // namespace

TEST_CASE("Start: a word makes a gang of a Job, and says when who starts") {
  CHECK(Started("all-members").kind == Kind::kMember);
  CHECK(Started("all-members").sizing.one_by_one == false);
  CHECK(Started("first-member").sizing.one_by_one == true);
  CHECK(Started("first-member").size() == 4);
  CHECK(Started("first-member").sizing.by_owner);
  const GroupSpec least = Started("3");
  CHECK(least.kind == Kind::kMember);
  CHECK(least.size() == 3);
  CHECK(least.sizing.at_least);
  CHECK(least.sizing.least == 3);
  CHECK_FALSE(least.sizing.by_owner);
  CHECK(least.rank == 1);
}

TEST_CASE("Start: an owner that makes fewer than the number has all of them start") {
  const GroupSpec whole = Started("5");
  CHECK(whole.kind == Kind::kMember);
  CHECK(whole.size() == 4);
  CHECK(whole.sizing.least == 5);
  CHECK(whole.sizing.of_owner);
}

TEST_CASE("Start: a number of one needs nobody beside, however its owner makes its pods") {
  JobSpec job{.size = 4};
  OwnerFacts owner = JobOwner(job);
  owner.in_order = true;
  PodFacts pod = JobPod(job, 0);
  SetWord(pod.annotations, "gangplan.io/start", "1");
  CHECK(Find(pod, &owner).kind == Kind::kMember);
  SetWord(pod.annotations, "gangplan.io/start", "2");
  CHECK(Find(pod, &owner).problem.find("podManagementPolicy: Parallel") != std::string::npos);
}

TEST_CASE("Start: what is no such word is told") {
  for (const char* word : {"", "now", "0", "50001", "-1", "2.5"}) {
    INFO(word);
    CHECK(Started(word).problem.starts_with("gangplan.io/start: \""));
  }
  CHECK(
      Started("now").problem ==
      "gangplan.io/start: \"now\": expected all-members, first-member or a number from 1 to 50000");
  CHECK(Started("4").kind == Kind::kMember);
  const JobSpec told{.size = 4, .words = {{"gangplan.io/size", "4"}, {"gangplan.io/start", "5"}}};
  const OwnerFacts of_told = JobOwner(told);
  CHECK(Find(JobPod(told, 1), &of_told).problem == "gangplan.io/start: 5: the gang has 4 members");
  const JobSpec job{.size = 4, .leader_gpus = 1};
  const OwnerFacts owner = JobOwner(job);
  PodFacts pod = JobPod(job, 1);
  SetWord(pod.annotations, "gangplan.io/start", "2");
  CHECK(Find(pod, &owner).problem ==
        "gangplan.io/start: 2: a number is for gangs of one pod set; this one has leader, workers");
  SetWord(pod.annotations, "gangplan.io/start", "first-member");
  CHECK(Find(pod, &owner).kind == Kind::kMember);
}

TEST_CASE("Start: a number counts in place of a PodGroup's, whichever is greater") {
  PodFacts pod = ForeignPod("p", 1);
  SetWord(pod.labels, "scheduling.x-k8s.io/pod-group", "ring");
  OwnerFacts owner;
  owner.ref = {"scheduling.x-k8s.io/v1alpha1", "PodGroup", "ring", "PodGroup team/ring"};
  owner.size = 3;
  owner.at_least = true;
  for (const int32_t least : {2, 5}) {
    SetWord(pod.annotations, "gangplan.io/start", fmt::format("{}", least));
    CHECK(Find(pod, &owner).sizing.least == least);
  }
}

TEST_CASE("Start: ranks are of all that there are, however many start together") {
  JobSetSpec set{.parts = {{.name = "workers", .jobs = 2, .each = 4}}};
  SetWord(set.parts[0].words, "gangplan.io/start", "4");
  const OwnerFacts owner = OwnerOf(set);
  const GroupSpec found = Find(PodOf(set, "workers", 1, 0), &owner);
  CHECK(found.size() == 4);
  CHECK(found.rank == 4);
  CHECK(Find(PodOf(set, "workers", 0, 3), &owner).rank == 3);
}

TEST_CASE("Origins: who tells the size, and by what ranks go") {
  const JobSpec job{.size = 4};
  const OwnerFacts owner = JobOwner(job);
  CHECK(OriginsOf(JobPod(job, 1), &owner) == Origins{"Job train (spec.parallelism and completions)",
                                                     "batch.kubernetes.io/job-completion-index"});
  PodFacts pod = JobPod(job, 1);
  SetWord(pod.annotations, "gangplan.io/size", "4");
  SetWord(pod.annotations, "gangplan.io/rank", "2");
  CHECK(OriginsOf(pod, &owner) == Origins{"gangplan.io/size", "gangplan.io/rank"});
  SetWord(pod.annotations, "gangplan.io/start", "2");
  CHECK(OriginsOf(pod, &owner).size == "gangplan.io/start, of gangplan.io/size");
  PodFacts kueue = Bare({{"kueue.x-k8s.io/pod-group-total-count", "2"}});
  kueue.labels = {{"kueue.x-k8s.io/pod-group-name", "ring"}};
  CHECK(OriginsOf(kueue, nullptr) == Origins{"kueue.x-k8s.io/pod-group-total-count", ""});
  PodFacts labelled = Bare({{"gangplan.io/group", "g"},
                            {"gangplan.io/rank-label", "example.com/i"},
                            {"gangplan.io/size", "2"}});
  labelled.labels = {{"example.com/i", "1"}};
  CHECK(OriginsOf(labelled, nullptr).ranks == "example.com/i (gangplan.io/rank-label)");
}

TEST_CASE("Spec: who says everything is the same whoever knows his owner") {
  const JobSpec job{.name = "train", .size = 4, .place = "rack=pack!"};
  PodFacts pod = JobPod(job, 1);
  SetWord(pod.annotations, "gangplan.io/group", "ring");
  SetWord(pod.annotations, "gangplan.io/size", "4");
  OwnerFacts owner = JobOwner(job);
  for (const auto& [word, value] : {std::pair{"gangplan.io/start", "first-member"},
                                    {"gangplan.io/ranks", "tp=2 node"},
                                    {"gangplan.io/rank", "3"},
                                    {"gangplan.io/hold", "true"},
                                    {"kueue.x-k8s.io/prefer-topology", "example.com/rack"}})
    SetWord(owner.annotations, word, value);
  const GroupSpec alone = FindGroup(pod, nullptr, false, TwoSchedulers());
  REQUIRE(alone.kind == GroupSpec::Kind::kMember);
  const GroupSpec known = Find(pod, &owner);
  CHECK(known.kind == GroupSpec::Kind::kMember);
  CHECK((known.rules == alone.rules));
  CHECK((known.sizing.one_by_one == alone.sizing.one_by_one));
  CHECK(known.rank == alone.rank);
  CHECK(known.hold == alone.hold);
}

}  // namespace gangplan::start_word_test
