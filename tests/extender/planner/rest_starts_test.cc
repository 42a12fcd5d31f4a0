// What starts beside pods that have succeeded and are there still, when nothing else of their gang
// stands.
#include "extender/planner/owner_key.h"
#include "fmt/format.h"
#include "tests/extender/planner/lives_world.h"

namespace gangplan::rest_starts_test {
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

// The same, told to a planner that has just begun.
JobSpec TwoAreLeft(PlannerWorld& world) {
  world.AddNodes(MakeNodes(1, 1, 3));
  JobSpec job = Whole("train", 3);
  job.left = 2;
  world.Register(job);
  return job;
}

// The last two are asked for once more, and run.
void StartRest(PlannerWorld& world, const JobSpec& job) {
  for (int i = 1; i < 3; ++i) CHECK(Try(world, JobPod(job, i, 1)));
  CHECK(world.BindAll() == 2);
}

}  // namespace

// What has succeeded is there still.
TEST_CASE("Lives: the rest starts whole when nothing of it stands beside what has succeeded") {
  LivesWorld world(3);
  const JobSpec job = FirstHasSucceeded(world);
  for (int i = 1; i < 3; ++i) world.Delete(JobPod(job, i));
  world.Show(JobPod(job, 1, 1));
  AwaitOwners(world);
  Try(world, JobPod(job, 1, 1));
  CHECK(world.BindAll() == 0);  // the other one is waited for
  world.Show(JobPod(job, 2, 1));
  StartRest(world, job);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Lives: the rest goes to one rack, and waits until that has room for all of it") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 3));
  world.Sync();
  JobSpec job = Whole("train", 3);
  job.left = 3;
  Run(world, job);
  std::vector<std::string> nodes = world.Nodes("team/train");
  const std::string rack = nodes[0].substr(0, 5);
  PodFacts ended = JobPod(job, 0);
  ended.node_name = nodes[0];
  world.Show(Ended(ended, PodPhase::kSucceeded));
  job.left = 2;
  world.Reregister(job);
  for (int i = 1; i < 3; ++i) world.Delete(JobPod(job, i));
  // One whole node of each rack is free.
  for (const char* node : {"b0-r0-n0", "b0-r0-n1", "b0-r1-n0", "b0-r1-n1"}) {
    PodFacts other = ForeignPod(fmt::format("other-{}", node), 8);
    other.node_name = node;
    world.Show(other);
  }
  for (int i = 1; i < 3; ++i) world.Show(JobPod(job, i, 1));
  AwaitOwners(world);
  for (int i = 1; i < 3; ++i) CHECK_FALSE(Try(world, JobPod(job, i, 1)));
  CHECK(world.BindAll() == 0);
  CHECK(world.HoldCount() == 0);
  PodFacts gone = ForeignPod("other-b0-r1-n1", 8);
  gone.node_name = "b0-r1-n1";
  world.Delete(gone);
  world.Pass(absl::Seconds(1));
  StartRest(world, job);
  for (const std::string& node : world.Nodes("team/train")) {
    if (!node.empty() && node != "-") CHECK(node.substr(0, 5) == "b0-r1");
  }
}

// Four at a time of more that are to succeed, and these end in one step.
TEST_CASE("Lives: the next pods of a Job of which all have succeeded start whole") {
  LivesWorld world(4);
  JobSpec job = Whole("waves", 4);
  const int64_t more = GENERATE(4, 2);
  job.left = 4 + more;
  Run(world, job);
  const std::vector<std::string> nodes = world.Nodes("team/waves");
  for (int i = 0; i < 4; ++i) {
    PodFacts pod = JobPod(job, i);
    pod.node_name = nodes[static_cast<size_t>(i)];
    world.Show(Ended(pod, PodPhase::kSucceeded));
  }
  const bool late = GENERATE(false, true);  // its status tells of that a while later
  if (!late) job.left = more;
  world.Reregister(job);
  const auto count = static_cast<int>(more);
  for (int i = 4; i < 4 + count; ++i) {
    CHECK(world.BindAll() == 0);
    world.Show(JobPod(job, i));
    if (!late) AwaitOwners(world);
    Try(world, JobPod(job, i));
  }
  if (late) {
    job.left = more;
    world.Reregister(job);
    AwaitOwners(world);
  }
  for (int i = 4; i < 4 + count; ++i) Try(world, JobPod(job, i));
  CHECK(world.BindAll() == count);
  CHECK(world.StateOf("team/waves") == "Running");
}

// A whole pod set has: nobody tells its template any more where Gangplan has begun anew.
TEST_CASE("Lives: the rest starts beside a pod set that has succeeded") {
  LivesWorld world(4);
  JobSpec job = Whole("train", 3);
  job.leader_gpus = 8;
  Run(world, job);
  PodFacts leader = JobPod(job, 0);
  leader.node_name = world.Nodes("team/train")[0];
  world.Show(Ended(leader, PodPhase::kSucceeded));
  for (int i = 1; i < 3; ++i) world.Delete(JobPod(job, i));
  AwaitOwners(world);
  world.Show(JobPod(job, 1, 1));
  Try(world, JobPod(job, 1, 1));
  CHECK(world.BindAll() == 0);
  world.Show(JobPod(job, 2, 1));
  StartRest(world, job);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("Lives: the rest starts whole beside what has succeeded after a restart, too") {
  PlannerWorld world;
  const JobSpec job = TwoAreLeft(world);
  PodFacts ended = JobPod(job, 0);
  ended.node_name = "b0-r0-n0";
  world.Show(Ended(ended, PodPhase::kSucceeded));
  world.Show(JobPod(job, 1, 1));
  world.Sync();
  AwaitOwners(world);
  Try(world, JobPod(job, 1, 1));
  CHECK(world.BindAll() == 0);
  world.Show(JobPod(job, 2, 1));
  StartRest(world, job);
}

}  // namespace gangplan::rest_starts_test
