// Jobs of which some indices have succeeded for good, while the rest has to start once more.
#include "tests/extender/planner/lives_world.h"

namespace gangplan {
namespace {

// Three members ran on a node each, the first one has succeeded.
JobSpec FirstHasSucceeded(PlannerWorld& world) {
  JobSpec job = Whole("train", 3);
  job.left = 3;
  Run(world, job);
  PodFacts pod = JobPod(job, 0);
  pod.node_name = "b0-r0-n0";
  world.Show(Ended(pod, PodPhase::kSucceeded));
  job.left = 2;
  world.Reregister(job);
  return job;
}

void Remake(PlannerWorld& world, const JobSpec& job) {
  for (int i = 1; i < 3; ++i) world.Delete(JobPod(job, i));
  for (int i = 1; i < 3; ++i) world.Show(JobPod(job, i, 1));
  AwaitOwners(world);
}

}  // namespace

TEST_CASE("Lives: what has succeeded and is gone is not waited for") {
  LivesWorld world(3);
  const JobSpec job = FirstHasSucceeded(world);
  world.Delete(JobPod(job, 0));
  Remake(world, job);
  for (int i = 1; i < 3; ++i) CHECK(Try(world, JobPod(job, i, 1)));
  CHECK(world.BindAll() == 2);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Lives: what has succeeded goes while the rest waits to start once more") {
  LivesWorld world(3);
  const JobSpec job = FirstHasSucceeded(world);
  Remake(world, job);
  world.Delete(JobPod(job, 0));
  AwaitOwners(world);
  for (int i = 1; i < 3; ++i) CHECK(Try(world, JobPod(job, i, 1)));
  CHECK(world.BindAll() == 2);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Lives: a restart does not wait for what has succeeded and is gone") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 3));
  JobSpec job = Whole("train", 3);
  job.left = 2;
  world.Register(job);
  for (int i = 1; i < 3; ++i) world.Show(JobPod(job, i, 1));
  world.Sync();
  for (int i = 1; i < 3; ++i) CHECK(Try(world, JobPod(job, i, 1)));
  CHECK(world.BindAll() == 2);
}

TEST_CASE("Lives: the gang that is left starts whole") {
  LivesWorld world(3);
  const JobSpec job = FirstHasSucceeded(world);
  world.Delete(JobPod(job, 0));
  for (int i = 1; i < 3; ++i) world.Delete(JobPod(job, i));
  world.Show(JobPod(job, 1, 1));
  AwaitOwners(world);
  CHECK(Try(world, JobPod(job, 1, 1)));
  CHECK(world.BindAll() == 0);  // the other one is waited for
  world.Show(JobPod(job, 2, 1));
  CHECK(Try(world, JobPod(job, 2, 1)));
  CHECK(world.BindAll() == 2);
}

TEST_CASE("Lives: a gang that runs keeps its place when some have succeeded and are gone") {
  LivesWorld world(3);
  const JobSpec job = FirstHasSucceeded(world);
  world.Delete(JobPod(job, 0));
  AwaitOwners(world);
  world.Delete(JobPod(job, 2));
  world.Show(JobPod(job, 2, 1));
  AwaitOwners(world);
  CHECK(Try(world, JobPod(job, 2, 1)));
  CHECK(world.BindAll() == 1);
}

}  // namespace gangplan
