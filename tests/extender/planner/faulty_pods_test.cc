// Bound pods in which something cannot be read: they count on their node and join no group.
#include "tests/extender/planner/lives_world.h"

namespace gangplan::faulty_pods_test {
namespace {

// As the watch gives on what it cannot read whole.
PodFacts Faulty(const PodFacts& pod) {
  PodFacts usage;
  usage.uid = pod.uid;
  usage.ns = pod.ns;
  usage.name = pod.name;
  usage.labels = pod.labels;
  usage.node_name = pod.node_name;
  usage.phase = pod.phase;
  usage.controller = pod.controller;
  usage.requests = pod.requests;
  usage.fault = "metadata.annotations: more than 1024 entries";
  return usage;
}

}  // namespace

TEST_CASE("Faulty pods: their room is taken, and they are in no group") {
  LivesWorld world(2);
  JobSpec job = Whole("train", 2);
  job.labels = {{"kueue.x-k8s.io/pod-group-name", "train"}};
  world.Register(job);
  world.Show(Faulty(BoundByUs(job, 0, "b0-r0-n0", 0)));
  CHECK(world.planner().Stats().faulty_pods == 1);
  CHECK_FALSE(world.planner().Report("team/train").has_value());
  CHECK(world.Filter(ForeignPod("other", 1)).passed == std::vector<int32_t>{0, 1});
  JobSpec two = Whole("two", 2);
  world.ShowJob(two, 0, 2);
  CHECK(world.StateOf("team/two") == "Blocked");
  world.Delete(JobPod(job, 0));
  world.Pass(absl::Seconds(1));
  CHECK(world.planner().Stats().faulty_pods == 0);
  CHECK(world.StateOf("team/two") == "Planned");
}

TEST_CASE("Faulty pods: one that can be read again joins its group") {
  LivesWorld world(2);
  const JobSpec job = Whole("train", 2);
  world.Register(job);
  const PodFacts pod = BoundByUs(job, 0, "b0-r0-n0", 0);
  world.Show(Faulty(pod));
  world.Show(JobPod(job, 1));
  world.Show(pod);
  CHECK(world.Nodes("team/train") == std::vector<std::string>{"b0-r0-n0", "b0-r0-n1"});
}

TEST_CASE("Faulty pods: a member stays one until it ends, also when its group is read anew") {
  PlannerOptions options = PlannerWorld::Options();
  options.topologies[0].live = "levels";
  LivesWorld world(2, options);
  CHECK(world.planner().OnTopology(world.now(), ThreeLevels()));
  const JobSpec job = Whole("train", 2);
  world.ShowJob(job, 0, 2);
  Start(world, job);
  const std::vector<std::string> nodes = world.Nodes("team/train");
  const auto bound = [&](int i, PodPhase phase) {
    return Faulty(Ended(BoundByUs(job, i, nodes[static_cast<size_t>(i)], i), phase));
  };
  for (int i = 0; i < 2; ++i) world.Show(bound(i, PodPhase::kRunning));
  CHECK(world.planner().Stats().faulty_pods == 2);
  Topology racks = ThreeLevels();
  racks.levels.erase(racks.levels.begin());
  CHECK(world.planner().OnTopology(world.now(), racks));
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Nodes("team/train") == nodes);
  world.Show(bound(0, PodPhase::kSucceeded));
  CHECK(world.planner().OnTopology(world.now(), ThreeLevels()));
  CHECK(world.StateOf("team/train") == "Running");
  world.ShowJob(Whole("next", 1), 0, 1);
  CHECK(world.Nodes("team/next") == std::vector<std::string>{nodes[0]});
}

}  // namespace gangplan::faulty_pods_test
