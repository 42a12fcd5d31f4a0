// Pods that wait and are members of no group, counted by why.
#include <map>

#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::without_group_test {
namespace {

using Counts = std::map<std::string_view, int64_t>;

// But for reasons that nobody has.
Counts Without(PlannerWorld& world) {
  Counts counts;
  for (const auto& [reason, pods] : world.planner().Stats().without_group) {
    if (pods != 0) counts[reason] = pods;
  }
  return counts;
}

PodFacts With(std::string_view name, std::string_view key, std::string_view value) {
  PodFacts pod = ForeignPod(name, 1);
  SetWord(pod.annotations, key, value);
  return pod;
}

}  // namespace

TEST_CASE("Without a group: every reason is told, also where it is nobody's") {
  PlannerWorld world;
  world.Sync();
  std::vector<std::string_view> reasons;
  for (const auto& [reason, pods] : world.planner().Stats().without_group)
    reasons.push_back(reason);
  CHECK(reasons == std::vector<std::string_view>{"no_words", "owner_unread", "claim_refused",
                                                 "unknown_word", "unsized_group", "bad_words",
                                                 "unlike_gang"});
}

TEST_CASE("Without a group: pods with words that make them no members") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  const PodFacts unknown = With("unknown", "gangplan.io/palce", "rack=pack!");
  const PodFacts unsized = With("unsized", "scheduling.x-k8s.io/pod-group", "ring");
  PodFacts bad = With("bad", "gangplan.io/place", "row=pack!");
  SetWord(bad.annotations, "gangplan.io/size", "1");
  for (const PodFacts& pod : {unknown, unsized, bad}) world.Show(pod);
  CHECK(Without(world) == Counts{{"unknown_word", 1}, {"unsized_group", 1}, {"bad_words", 1}});
  CHECK(world.Refusal(unknown) ==
        "gang team/unknown: invalid: gangplan.io/palce: unknown word; did you mean "
        "gangplan.io/place?");
  CHECK(world.Refusal(bad).find("invalid: gangplan.io/place: \"row=pack!\"") != std::string::npos);
  // Words that are mended, and pods that go, count no more.
  PodFacts mended = unknown;
  mended.annotations = {{"gangplan.io/place", "rack=pack!"}, {"gangplan.io/size", "1"}};
  world.Show(mended);
  world.Delete(unsized);
  world.Delete(bad);
  CHECK(Without(world).empty());
}

TEST_CASE("Without a group: a pod unlike its gang, until it is like it") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  const JobSpec job{.size = 2, .place = "rack=pack!"};
  world.ShowJob(job, 0, 1);
  CHECK(Without(world).empty());
  JobSpec other = job;
  other.place = "rack=pack";
  const PodFacts pod = JobPod(other, 1);
  world.Show(pod);
  CHECK(Without(world) == Counts{{"unlike_gang", 1}});
  world.Delete(pod);
  CHECK(Without(world).empty());
}

TEST_CASE("Without a group: pods that say nothing, while they wait for a scheduler of ours") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  const PodFacts first = ForeignPod("first", 1);
  PodFacts others = ForeignPod("others", 1);
  others.scheduler_name = "somebody-else";
  world.Show(first);
  world.Show(others);
  world.Show(ForeignPod("second", 1));
  CHECK(Without(world) == Counts{{"no_words", 2}});
  world.ShowBound(first, "b0-r0-n0");
  CHECK(Without(world) == Counts{{"no_words", 1}});
  world.Delete(ForeignPod("second", 1));
  CHECK(Without(world).empty());
}

TEST_CASE("Without a group: pods whose owner is being read") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  world.answer_owners = false;
  const JobSpec job{.size = 1, .place = "rack=pack!"};
  world.ShowJob(job, 0, 1);
  CHECK(Without(world) == Counts{{"owner_unread", 1}});
  world.Delete(JobPod(job, 0));
  CHECK(Without(world).empty());
}

}  // namespace gangplan::without_group_test
