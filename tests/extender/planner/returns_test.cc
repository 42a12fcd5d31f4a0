// Members that are made anew when they are gone: whose room is held meanwhile, and until when.
#include "tests/extender/planner/returns_world.h"

namespace gangplan::returns_test {
namespace {

TEST_CASE("Returns: a gang that waits does not take the node that the set's pod leaves") {
  SetWorld world;
  const std::string node = world.NodeOf(1);
  const JobSpec late = world.Waiting(GENERATE(0, 1000));
  world.Lose(1);
  CHECK(world.HoldCount() == 1);
  CHECK(world.StateOf("team/late") == "Blocked");
  CHECK(world.Passed(JobPod(late, 0)).empty());
  CHECK(world.Passed(ForeignPod("single", 8), {node}).empty());
  world.Pass(PlannerWorld::Options().gather_timeout - absl::Seconds(1));
  world.Show(world.Pod(1, 1));
  CHECK(world.Passed(world.Pod(1, 1)) == node);
  REQUIRE(world.Bind(world.Pod(1, 1), node).decision.held);
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/shard") == "Running");
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Returns: nobody comes until the end, and the room is anybody's") {
  SetWorld world;
  const JobSpec late = world.Waiting();
  world.Lose(1);
  world.Pass(PlannerWorld::Options().gather_timeout - absl::Seconds(1));
  CHECK(world.Passed(JobPod(late, 0)).empty());
  world.Pass(absl::Seconds(2));
  CHECK(Try(world, JobPod(late, 0)));
}

TEST_CASE("Returns: a pod of greater priority has that room, as any that is held") {
  SetWorld world;
  const std::string node = world.NodeOf(1);
  world.Lose(1);
  CHECK(world.Passed(ForeignPod("single", 8, 1000), {node}) == node);
}

TEST_CASE("Returns: a pod that is gone at once, without a word before") {
  SetWorld world;
  const JobSpec late = world.Waiting();
  world.Delete(world.Pod(1));
  CHECK(world.Passed(JobPod(late, 0)).empty());
  world.Delete(world.Pod(1));  // told twice
  CHECK(world.HoldCount() == 1);
}

TEST_CASE("Returns: its kubelet tells that it has stopped before it is gone") {
  SetWorld world;
  const JobSpec late = world.Waiting();
  PodFacts stops = world.Bound(1);
  world.ShowTerminating(stops);
  CHECK(world.HoldCount() == 0);
  stops.terminating = true;
  stops.phase = GENERATE(PodPhase::kSucceeded, PodPhase::kFailed);
  world.Show(stops);
  CHECK(world.HoldCount() == 1);
  CHECK(world.Passed(JobPod(late, 0)).empty());
  world.Delete(world.Pod(1));
  CHECK(world.HoldCount() == 1);
}

TEST_CASE("Returns: the next pod of another template has it where that fits") {
  SetWorld world;
  const JobSpec late = world.Waiting(1000);
  const int64_t gpus = GENERATE(4, 16);
  const std::string node = world.NodeOf(1);
  world.Lose(1);
  PodFacts next = world.Pod(1, 1);
  next.requests = JobPod(JobSpec{.gpus = gpus}, 0).requests;
  world.Show(next);
  CHECK(world.Passed(next) == (gpus == 4 ? node : ""));
}

TEST_CASE("Returns: each has its own node") {
  SetWorld world;
  const std::string first = world.NodeOf(0);
  world.Lose(0);
  world.Show(world.Pod(0, 1));
  CHECK(world.Passed(world.Pod(0, 1)) == first);
}

TEST_CASE("Returns: nothing is kept of a pod that has failed by itself") {
  SetWorld world;
  const JobSpec late = world.Waiting();
  world.ShowFinished(world.Pod(1), world.NodeOf(1), PodPhase::kFailed);
  CHECK(Try(world, JobPod(late, 0)));
}

TEST_CASE("Returns: nothing is kept on a node that may not be used") {
  SetWorld world;
  NodeFacts node = MakeNode(0, 0, world.NodeOf(1).back() - '0');
  const int how = GENERATE(0, 1, 2);
  world.Stop(1);
  if (how == 0) node.unschedulable = true;
  if (how == 1) node.ready = false;
  if (how < 2) world.Put(node);
  if (how == 2) world.DeleteNode(node.name);
  world.Delete(world.Pod(1));
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Returns: a Job has made its next pod before the last one is gone") {
  LivesWorld world(2);
  const JobSpec job = Whole("train", 2);
  Run(world, job);
  PodFacts stops = JobPod(job, 1);
  stops.node_name = world.Nodes("team/train")[1];
  world.ShowTerminating(stops);
  world.Delete(stops);
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Returns: a set that is scaled down, while its pod stops or after that") {
  SetWorld world;
  const JobSpec late = world.Waiting();
  const bool before = GENERATE(true, false);
  world.Stop(1);
  if (!before) world.Delete(world.Pod(1));
  CHECK(world.HoldCount() == (before ? 0 : 1));
  world.owner.size = 1;
  world.Reregister(world.owner);
  AwaitOwners(world);
  if (before) world.Delete(world.Pod(1));
  CHECK(world.StateOf("team/shard") == "Running");
  CHECK(Try(world, JobPod(late, 0)));
}

TEST_CASE("Returns: a gang of which the last pod stops starts anew, and keeps nothing") {
  SetWorld world;
  const JobSpec late = world.Waiting();
  world.Lose(1);
  CHECK(world.HoldCount() == 1);
  world.Stop(0);
  world.Pass(absl::Seconds(1));
  CHECK(world.StateOf("team/late") == "Planned");
  CHECK(Try(world, JobPod(late, 0)));
}

TEST_CASE("Returns: the room of members that do not exist has a bound") {
  PlannerOptions options = PlannerWorld::Options();
  options.vacant_share = GENERATE(25, 50);
  SetWorld world(2, options);
  world.Lose(1);  // half of the cluster
  CHECK(world.HoldCount() == (options.vacant_share == 25 ? 0 : 1));
}

TEST_CASE("Returns: a Gangplan that has begun anew knows of none") {
  SetWorld world;
  world.Stop(1);
  PodFacts stops = world.Bound(1);
  stops.terminating = true;
  const PodFacts runs = BoundByUs(world.set, 0, world.NodeOf(0), 0);
  PodFacts stays = world.Pod(0);
  stays.node_name = runs.node_name;
  for (const auto& [key, value] : runs.annotations) SetWord(stays.annotations, key, value);
  world.Restart();
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Show(stays);
  world.Show(stops);
  world.Sync();
  world.Delete(stops);
  CHECK(world.HoldCount() == 0);
}

}  // namespace
}  // namespace gangplan::returns_test
