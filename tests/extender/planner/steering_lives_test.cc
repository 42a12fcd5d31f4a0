// Steering while gangs live: those that have ended, or have no pods of a kind any more.
#include "tests/extender/planner/several_world.h"
#include "tests/support/catch.h"

namespace gangplan {
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

}  // namespace
}  // namespace gangplan
