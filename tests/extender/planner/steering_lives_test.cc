// Steering while gangs live: those that have ended, or have no pods of a kind any more.
#include "fmt/format.h"
#include "tests/extender/planner/several_world.h"
#include "tests/support/catch.h"

namespace gangplan::steering_lives_test {
namespace {

std::vector<int32_t> ScoreOf(PlannerWorld& world, const std::vector<std::string>& names) {
  const PodFacts pod = ForeignPod("lone", 1);
  const Offer offer(names.begin(), names.end());
  for (int i = 0; i < 20; ++i) {
    world.planner().Prioritize(world.now(), pod, offer);
    world.Pass(absl::Seconds(1));
  }
  return world.planner().Prioritize(world.now(), pod, offer);
}

TEST_CASE("steering lives: a gang of which one pod set has none any more") {
  RacksWorld world(6);
  StartCluster(world);
  world.Say(Cluster(0, 1));
  for (int gone : {0, 1}) world.Delete(Pod(kRay, "small", gone));
  REQUIRE(world.StateOf("team/train") == "Running");
  CHECK(ScoreOf(world, {"b0-r1-n0"}).size() == 1);
}

TEST_CASE("steering lives: what has ended needs nothing") {
  LivesWorld world(3);
  const JobSpec job = Whole("train", 3);
  Run(world, job);
  REQUIRE(ScoreOf(world, {"b0-r0-n0"}).size() == 1);
  const std::vector<std::string> nodes = world.Nodes("team/train");
  for (int i = 0; i < 3; ++i) {
    PodFacts pod = JobPod(job, i);
    pod.node_name = nodes[static_cast<size_t>(i)];
    world.Show(Ended(pod, PodPhase::kSucceeded));
  }
  REQUIRE(world.StateOf("team/train") == "Done");
  CHECK(ScoreOf(world, {"b0-r0-n0"}).empty());
}

// Forty gangs of eight kinds, none of which could ever start: by number alone all needs are theirs.
TEST_CASE(
    "steering lives: a namespace with many gangs of its own kinds leaves others their needs") {
  LivesWorld world(6);
  Run(world, Whole("train", 2));
  PodFacts part = ForeignPod("part", 1);
  world.ShowBound(part, "b0-r0-n5");
  const std::vector<std::string> names = {"b0-r0-n4", "b0-r0-n5"};
  const std::vector<int32_t> before = ScoreOf(world, names);
  REQUIRE(before[0] < before[1]);
  for (int i = 0; i < 40; ++i) {
    PodFacts pod = ForeignPod(fmt::format("many-{}", i), 9 + i % 8);
    pod.ns = "other";
    SetWord(pod.annotations, "gangplan.io/group", pod.name);
    SetWord(pod.annotations, "gangplan.io/size", "1");
    SetWord(pod.annotations, "gangplan.io/place", "rack=pack");
    world.Show(pod);
  }
  world.Pass(absl::Seconds(1));
  const std::vector<int32_t> after = ScoreOf(world, names);
  CHECK(after[0] < after[1]);
}

}  // namespace
}  // namespace gangplan::steering_lives_test
