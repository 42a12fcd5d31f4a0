// One name, one run after the other: whose pods are of which.
#include "extender/planner/owner_key.h"
#include "tests/extender/planner/lives_world.h"

namespace gangplan::next_run_test {

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

namespace {

// Run before as `one`: both have succeeded, by a plan of ours.
PodFacts Over(const JobSpec& one, int index) {
  PodFacts pod = Ended(BoundByUs(one, index, NodeNameAt(0, 0, index), index), PodPhase::kSucceeded);
  SetWord(pod.annotations, kPlanAnnotation, "nightly.1");
  return pod;
}

}  // namespace

TEST_CASE("Next run: who has succeeded in the one before is of no other, however late it is read") {
  PlannerWorld world;
  world.answer_owners = false;
  world.AddNodes(MakeNodes(1, 1, 2));
  JobSpec one = Named("run1", "nightly", 2);
  one.place.clear();  // its owner tells where
  const JobSpec two = Named("run2", "nightly", 2);
  for (int i = 0; i < 2; ++i) world.Show(Over(one, i));
  world.Show(JobPod(two, 0));
  world.Sync();
  world.Pass(absl::Seconds(11));
  OwnerFacts owner = JobOwner(one);
  SetWord(owner.annotations, "gangplan.io/place", "rack=pack!");
  world.planner().OnOwner(world.now(), OwnerKey("team", one.Uid()), owner);
  world.Pass(absl::Milliseconds(50));
  REQUIRE(Try(world, JobPod(two, 0)));
  CHECK(world.BindAll() == 0);
  world.Show(JobPod(two, 1));
  REQUIRE(Try(world, JobPod(two, 1)));
  CHECK(world.BindAll() == 2);
}

TEST_CASE("Next run: it does not wait for the owner of who has succeeded in the one before") {
  PlannerWorld world;
  world.answer_owners = false;
  world.AddNodes(MakeNodes(1, 1, 2));
  JobSpec one = Named("run1", "nightly", 2);
  one.place.clear();
  const JobSpec two = Named("run2", "nightly", 2);
  for (int i = 0; i < 2; ++i) world.Show(Over(one, i));
  for (int i = 0; i < 2; ++i) world.Show(JobPod(two, i));
  world.Sync();
  world.Pass(absl::Seconds(11));
  Start(world, two);
}

TEST_CASE("Next run: who is told again of a run that was forgotten is of no other") {
  PlannerOptions options = PlannerWorld::Options();
  options.claims.groups = 1;
  LivesWorld world(2, options);
  const JobSpec one = Named("run1", "nightly", 2);
  const JobSpec two = Named("run2", "nightly", 2);
  Run(world, one);
  for (int i = 0; i < 2; ++i) world.Show(Over(one, i));
  const JobSpec other = Named("other", "other", 1);
  world.Show(JobPod(other, 0));  // there is one place for both
  world.Delete(JobPod(other, 0));
  world.Show(JobPod(two, 0));
  REQUIRE(world.StateOf("team/nightly") == "Gathering");
  for (int i = 0; i < 2; ++i) world.Show(Over(one, i));
  REQUIRE(Try(world, JobPod(two, 0)));
  CHECK(world.BindAll() == 0);
}

}  // namespace gangplan::next_run_test
