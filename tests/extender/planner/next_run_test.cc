// One name, one run after the other: whose pods are of which.
#include "tests/extender/planner/lives_world.h"

namespace gangplan {

TEST_CASE("Next run: its pods came before the first one ended, with another size") {
  LivesWorld world(4);
  const JobSpec one = Named("run1", "nightly", 2);
  const JobSpec two = Named("run2", "nightly", 3);
  Run(world, one);
  const std::vector<std::string> nodes = world.Nodes("team/nightly");
  world.ShowJob(two, 0, 3);
  for (int i = 0; i < 2; ++i)
    world.Show(Ended(BoundByUs(one, i, nodes[static_cast<size_t>(i)], i), PodPhase::kSucceeded));
  world.Pass(absl::Seconds(1));
  Start(world, two);
}

TEST_CASE("Next run: after a restart one that is half bound is not taken for the one that ended") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 4));
  const JobSpec one = Named("run1", "nightly", 2);
  const JobSpec two = Named("run2", "nightly", 3);
  world.Register(one);
  world.Register(two);
  for (int i = 0; i < 2; ++i)
    world.Show(Ended(BoundByUs(one, i, NodeNameAt(0, 0, i), i), PodPhase::kSucceeded));
  for (int i = 0; i < 2; ++i) world.Show(BoundByUs(two, i, NodeNameAt(0, 0, i), i));
  world.Show(JobPod(two, 2));
  world.Sync();
  CHECK(Try(world, JobPod(two, 2)));
  CHECK(world.BindAll() == 1);
}

TEST_CASE("Next run: after a restart who runs stays with those of another owner that succeeded") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 4));
  const JobSpec one = Named("launcher", "mpi", 2);
  const JobSpec two = Named("worker", "mpi", 2);
  world.Register(one);
  world.Register(two);
  world.Show(Ended(BoundByUs(one, 0, NodeNameAt(0, 0, 0), 0), PodPhase::kSucceeded));
  world.Show(BoundByUs(two, 1, NodeNameAt(0, 0, 1), 1));
  world.Sync();
  CHECK(world.StateOf("team/mpi") == "Running");
}

}  // namespace gangplan
