// Gangs of which what has succeeded is passed over: under a name, over restarts, and while they
// gather.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/extender/planner/succeeded_world.h"

namespace gangplan::passed_over_lives_test {

// More come than those of which nobody has succeeded.
TEST_CASE("Lives: a gang that has begun anew grows by those that come beyond its size") {
  LivesWorld world(3);
  JobSpec job = Whole("train", 3);
  job.words = {{"gangplan.io/group", "train"}, {"gangplan.io/size", "3"}};
  Run(world, job);
  world.Show(Succeeded(world, job, 0));
  Lose(world, job, 1);
  ComeWhole(world, job, 1, 1);
  CHECK(world.Report("team/train").size == 2);
  world.Show(JobPod(job, 0, 1));
  AwaitOwners(world);
  CHECK(Try(world, JobPod(job, 0, 1)));
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
}

// What is over the Job's status has counted: its waves are as wide as they were.
TEST_CASE("Lives: a Job in waves has no more slots than it makes pods after it has begun anew") {
  LivesWorld world(4);
  JobSpec job = Whole("train", 2);
  job.left = 6;
  Run(world, job);
  const auto come = [&](int index) {
    world.Show(JobPod(job, index));
    AwaitOwners(world);
    Try(world, JobPod(job, index));
  };
  LoseBesideSucceeded(world, job, 5);
  come(2);
  come(3);
  Try(world, JobPod(job, 2));
  REQUIRE(world.BindAll() == 2);
  PodFacts second = JobPod(job, 2);
  second.node_name = world.Nodes("team/train")[0];
  world.Show(Ended(second, PodPhase::kSucceeded));
  job.left = 4;
  world.Reregister(job);
  come(4);
  world.BindAll();
  AwaitOwners(world);
  CHECK(world.Report("team/train").size == 2);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Lives: after a restart the rest runs beside what was passed over") {
  PlannerWorld world;
  JobSpec job = TwoAreLeft(world);
  std::vector<PodFacts> pods = {Ended(BoundByUs(job, 0, "b0-r0-n0", 0), PodPhase::kSucceeded),
                                BoundByUs(job, 1, "b0-r0-n1", 1), BoundByUs(job, 2, "b0-r0-n2", 0)};
  const bool last = GENERATE(false, true);
  if (last) std::rotate(pods.begin(), pods.begin() + 1, pods.end());
  for (const PodFacts& pod : pods) world.Show(pod);
  world.Sync();
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Report("team/train").bound == 2);
}

TEST_CASE("Lives: after a restart the rest of a JobSet starts whole beside what was passed over") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 4));
  JobSpec job = Whole("train", 3);
  job.leader_gpus = 8;
  job.in_set = true;
  world.Register(job);
  world.Show(Ended(BoundByUs(job, 1, "b0-r0-n1", 0), PodPhase::kSucceeded));
  world.Show(BoundByUs(job, 0, "b0-r0-n0", 0));
  world.Show(BoundByUs(job, 2, "b0-r0-n2", 0));
  world.Sync();
  CHECK(world.StateOf("team/train") == "Running");
  for (int i : {0, 2}) world.Delete(JobPod(job, i));
  world.Show(JobPod(job, 0, 1));
  AwaitOwners(world);
  Try(world, JobPod(job, 0, 1));
  CHECK(world.BindAll() == 0);
  world.Show(JobPod(job, 2, 1));
  AwaitOwners(world);
  for (int i : {0, 2}) CHECK(Try(world, JobPod(job, i, 1)));
  CHECK(world.BindAll() == 2);
}

TEST_CASE("Lives: each that comes once more gains the rest time to gather") {
  LivesWorld world(4);
  JobSpec job = Whole("train", 4);
  job.left = 4;
  Run(world, job);
  LoseBesideSucceeded(world, job, 3);
  for (int i = 1; i < 3; ++i) {
    world.Show(JobPod(job, i, 1));
    for (int minute = 0; minute < 4; ++minute) world.Pass(absl::Minutes(1));
  }
  CHECK(world.StateOf("team/train") == "Gathering");
}

}  // namespace gangplan::passed_over_lives_test
