// The life of a gang of which a number start together (gangplan.io/start: N).
#include <map>

#include "tests/extender/planner/elastic_world.h"

namespace gangplan::elastic_test {
namespace {

TEST_CASE("Elastic: a Job of which fewer than the number are left starts with those") {
  LivesWorld world(4);
  JobSpec job = ElasticJob("3", 4);
  job.left = 2;  // two have succeeded and are gone: its controller makes two pods and no more
  world.ShowJob(job, 0, 2);
  CHECK(TryAll(world, job, {0, 1}) == 2);
  world.Pass(absl::Hours(2));
  CHECK(TryAll(world, job, {0, 1}) + world.Report("team/train").bound >= 2);
}

TEST_CASE("Elastic: a Job that runs and is scaled below the number has its lost pods back") {
  LivesWorld world(4);
  JobSpec job = ElasticJob("3", 4);
  world.ShowJob(job, 0, 4);
  REQUIRE(TryAll(world, job, {0, 1, 2, 3}) == 3);
  REQUIRE(TryAll(world, job, {3}) == 1);
  job.size = 2;
  Say(world, job);
  world.Delete(JobPod(job, 3));
  world.Delete(JobPod(job, 2));
  world.Pass(absl::Minutes(1));
  CHECK(world.StateOf("team/train") == "Running");
  world.Delete(JobPod(job, 1));  // evicted
  world.Show(JobPod(job, 1, 1));
  world.Pass(absl::Minutes(1));
  INFO(world.Refusal(JobPod(job, 1, 1)));
  CHECK(TryAll(world, job, {1}, 1) == 1);
}

TEST_CASE("Elastic: a Job that waits and is scaled below the number, and up again, starts") {
  LivesWorld world(4);
  JobSpec job = ElasticJob("3", 4);
  world.ShowJob(job, 0, 2);
  job.size = 2;
  Say(world, job);
  world.Pass(absl::Minutes(1));
  job.size = 5;
  Say(world, job);
  world.Pass(absl::Minutes(1));
  for (int i = 2; i < 5; ++i) world.Show(JobPod(job, i));
  CHECK(TryAll(world, job, {0, 1, 2}) == 3);
}

TEST_CASE("Elastic: a number is kept whatever the owner says of its one pod set") {
  constexpr Part kTorch = {"kubeflow.org/v1", "PyTorchJob", "training.kubeflow.org/replica-type"};
  RacksWorld world(6);
  OwnerFacts owner = Owner(kTorch, {{"worker", 1, 4, {}, {}}});
  SetWord(owner.annotations, "gangplan.io/start", "2");
  world.Register(owner);
  std::vector<PodFacts> pods;
  for (int i = 0; i < 6; ++i) pods.push_back(Pod(kTorch, "worker", i));
  world.Show(pods[0]);
  CHECK(world.Report("team/train").size == 2);
  world.Show(pods[1]);
  world.Pass(absl::Minutes(1));
  CHECK(world.Report("team/train").size == 2);
  world.Run({pods[0], pods[1]});
  world.Pass(absl::Minutes(1));
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.Report("team/train").size == 2);
  world.Run({pods[2]});
  CHECK(world.Report("team/train").bound == 3);
  owner.pod_sets[0].each = 5;
  world.Say(owner);
  world.Pass(absl::Minutes(1));
  CHECK(world.StateOf("team/train") == "Running");
  CHECK(world.HoldCount() == 0);
  world.Run({pods[3], pods[4]});
  CHECK(world.Report("team/train").bound == 5);
}

TEST_CASE("Elastic: members may come in any order of their ranks") {
  LivesWorld world(8);
  const JobSpec job = ElasticJob("2", 8);
  world.Register(job);
  for (int i : {7, 5, 6, 4, 3, 2, 1, 0}) world.Show(JobPod(job, i));
  CHECK(TryAll(world, job, {7, 5, 6, 4, 3, 2, 1, 0}) == 2);
  for (int round = 0; round < 8; ++round) {
    world.Pass(absl::Seconds(1));
    TryAll(world, job, {7, 5, 6, 4, 3, 2, 1, 0});
  }
  CHECK(world.Report("team/train").bound == 8);
  // Restart with all bound by the ranks that they were given.
  const std::vector<std::string> nodes = world.Nodes("team/train");
  CHECK(nodes.size() == 8);
}

TEST_CASE("Elastic: a gang is found again, its ranks in any order, with one more that waits") {
  for (const std::vector<int>& order : {std::vector<int>{5, 4, 3, 2, 1, 0}, {3, 5, 0, 4, 1, 2}}) {
    LivesWorld world(8);
    const JobSpec job = ElasticJob("2", 8);
    world.Register(job);
    std::vector<PodFacts> pods;
    for (int i = 0; i < 6; ++i) pods.push_back(BoundByUs(job, i, NodeNameAt(0, 0, i), i));
    world.Restart();
    world.AddNodes(MakeNodes(1, 1, 8));
    for (int i : order) world.Show(pods[static_cast<size_t>(i)]);
    world.Show(JobPod(job, 6));
    world.Sync();
    world.Pass(absl::Seconds(20));
    CHECK(world.Report("team/train").bound == 6);
    for (int i = 0; i < 6; ++i)
      CHECK(world.Nodes("team/train")[static_cast<size_t>(i)] == NodeNameAt(0, 0, i));
    CHECK(world.HoldCount() <= 1);
    CHECK(TryAll(world, job, {6}) == 1);
    CHECK(world.StateOf("team/train") == "Running");
  }
}

TEST_CASE("Elastic: a gang with a gap in its ranks is found again, and the gap is filled") {
  LivesWorld world(6);
  JobSpec job = ElasticJob("2", 6);
  job.indexed = false;
  world.Register(job);
  world.Restart();
  world.AddNodes(MakeNodes(1, 1, 6));
  for (const int i : {0, 1, 3}) world.Show(BoundByUs(job, i, NodeNameAt(0, 0, i), i));
  world.Show(JobPod(job, 4));  // in place of rank 2
  world.Sync();
  world.Pass(absl::Seconds(20));
  CHECK(world.Report("team/train").bound == 3);
  INFO(world.Refusal(JobPod(job, 4)));
  CHECK(TryAll(world, job, {4}) == 1);
  CHECK(world.Report("team/train").bound == 4);
  for (const int i : {0, 1, 3})
    CHECK(world.Nodes("team/train")[static_cast<size_t>(i)] == NodeNameAt(0, 0, i));
}

TEST_CASE("Elastic: after a restart what is missing of the number has its room together") {
  for (const std::string_view start : {"4", ""}) {  // and a plain one
    LivesWorld world(4);
    JobSpec job = ElasticJob("4", 4);
    if (start.empty()) job.words.clear();
    world.Register(job);
    world.Restart();
    world.AddNodes(MakeNodes(1, 1, 4));
    world.Show(BoundByUs(job, 0, NodeNameAt(0, 0, 0), 0));
    PodFacts foreign = ForeignPod("foreign", 8);
    world.ShowBound(foreign, NodeNameAt(0, 0, 1));  // room for two of the three that are missing
    for (int i = 1; i < 4; ++i) world.Show(JobPod(job, i));
    world.Sync();
    world.Pass(absl::Seconds(20));
    INFO("start " << start);
    CHECK(TryAll(world, job, {1, 2, 3}) == 0);  // else it runs below its minimum
    world.Delete(foreign);
    world.Pass(absl::Seconds(1));
    CHECK(TryAll(world, job, {1, 2, 3}) == 3);
  }
}

TEST_CASE("Elastic: members succeed one after another and others join, for hours") {
  LivesWorld world(3);
  const JobSpec job = ElasticJob("2", 3);
  world.Register(job);
  std::map<int, std::string> nodes;
  const auto ask = [&](int i) {
    nodes[i] = world.Passed(JobPod(job, i));
    REQUIRE(nodes[i] != "");
    REQUIRE(world.Bind(JobPod(job, i), nodes[i]).decision.held);
  };
  for (int i = 0; i < 3; ++i) world.Show(JobPod(job, i));
  for (int i = 0; i < 2; ++i) ask(i);
  REQUIRE(world.BindAll() == 2);
  ask(2);
  REQUIRE(world.BindAll() == 1);
  for (int next = 3; next < 60; ++next) {
    world.ShowFinished(JobPod(job, next - 3), nodes[next - 3], PodPhase::kSucceeded);
    world.Show(JobPod(job, next));
    world.Pass(absl::Minutes(5));
    ask(next);
    REQUIRE(world.BindAll() == 1);
  }
  CHECK(world.HoldCount() == 0);
  CHECK(world.StateOf("team/train") == "Running");
  for (int i = 57; i < 60; ++i) world.ShowFinished(JobPod(job, i), nodes[i], PodPhase::kSucceeded);
  CHECK(world.StateOf("team/train") == "Done");
}

TEST_CASE("Elastic: all of it is evicted and made anew: nobody starts below the number") {
  LivesWorld world(4);
  const JobSpec job = ElasticJob("3", 4);
  world.ShowJob(job, 0, 4);
  REQUIRE(TryAll(world, job, {0, 1, 2}) == 3);
  REQUIRE(TryAll(world, job, {3}) == 1);
  PodFacts foreign = ForeignPod("foreign", 8), second = ForeignPod("second", 8);
  for (int i = 0; i < 4; ++i) world.Delete(JobPod(job, i));
  world.ShowBound(foreign, NodeNameAt(0, 0, 0));
  world.ShowBound(second, NodeNameAt(0, 0, 1));
  for (int i = 0; i < 4; ++i) world.Show(JobPod(job, i, 1));
  world.Pass(absl::Seconds(1));
  CHECK(TryAll(world, job, {0, 1, 2, 3}, 1) == 0);
  world.Delete(second);
  world.Pass(absl::Seconds(1));
  CHECK(TryAll(world, job, {0, 1, 2}, 1) + TryAll(world, job, {0, 1, 2, 3}, 1) == 3);
}

TEST_CASE("Elastic: its pods are made anew one by one") {
  LivesWorld world(4);
  const JobSpec job = ElasticJob("3", 4);
  world.ShowJob(job, 0, 4);
  REQUIRE(TryAll(world, job, {0, 1, 2}) == 3);
  REQUIRE(TryAll(world, job, {3}) == 1);
  // A Job makes its pods anew at once, when they begin to go.
  const std::vector<std::string> nodes = world.Nodes("team/train");
  for (int i = 0; i < 4; ++i) {
    PodFacts pod = JobPod(job, i);
    pod.node_name = nodes[static_cast<size_t>(i)];
    world.ShowTerminating(pod);
    world.Show(JobPod(job, i, 1));
  }
  world.Pass(absl::Seconds(1));
  CHECK(TryAll(world, job, {0, 1, 2, 3}, 1) == 0);
  world.Delete(JobPod(job, 0));
  world.Pass(absl::Seconds(1));
  CHECK(TryAll(world, job, {0, 1, 2, 3}, 1) == 0);
  for (int i = 1; i < 4; ++i) world.Delete(JobPod(job, i));
  world.Pass(absl::Seconds(1));
  TryAll(world, job, {0, 1, 2, 3}, 1);
  world.Pass(absl::Seconds(1));
  TryAll(world, job, {0, 1, 2, 3}, 1);
  CHECK(world.Report("team/train").bound == 4);
}

}  // namespace
}  // namespace gangplan::elastic_test
