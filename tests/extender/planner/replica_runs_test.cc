// A replica of a LeaderWorkerSet that is made anew, while pods of its last run are there.
#include "extender/frontends/gangplan/words.h"
#include "tests/extender/planner/lives_world.h"
#include "tests/support/replica.h"

namespace gangplan::replica_runs_test {
namespace {

// A leader and two workers have three whole nodes, all there are.
struct ReplicaWorld : LivesWorld {
  ReplicaWorld() : LivesWorld(3) {
    for (const int run : {1, 2}) Register(WorkersOf(Pod(run, 0).uid, Pod(run, 1)));
    for (int i = 0; i < 3; ++i) Show(Pod(1, i));
    for (int i = 0; i < 3; ++i) REQUIRE(Try(*this, Pod(1, i)));
    REQUIRE(BindAll() == 3);
    nodes = Nodes("team/serve-0");
  }
  // `run`: how often the leader was made.
  static PodFacts Pod(int run, int index) {
    PodFacts pod = ForeignPod("", 8);
    pod.name = index == 0 ? "serve-0" : fmt::format("serve-0-{}", index);
    pod.uid = fmt::format("uid-{}-{}", pod.name, run);
    pod.created = 1000 * run;
    SetWord(pod.labels, "leaderworkerset.sigs.k8s.io/group-index", "0");
    SetWord(pod.labels, "leaderworkerset.sigs.k8s.io/name", "serve");
    SetWord(pod.labels, "leaderworkerset.sigs.k8s.io/template-revision-hash", "abc");
    SetWord(pod.labels, "leaderworkerset.sigs.k8s.io/worker-index", fmt::format("{}", index));
    SetWord(pod.annotations, "leaderworkerset.sigs.k8s.io/size", "3");
    SetWord(pod.annotations, kPlaceWord, "rack=pack!");
    const std::string set = index == 0 ? "serve" : "serve-0";
    const std::string uid = index == 0 ? "uid-serve" : fmt::format("uid-workers-{}", run);
    pod.controller = OwnerRef{"apps/v1", "StatefulSet", set, uid};
    return pod;
  }
  PodFacts Bound(int index) const {
    PodFacts pod = Pod(1, index);
    pod.node_name = nodes[static_cast<size_t>(index)];
    SetWord(pod.annotations, kAssignedRankAnnotation, fmt::format("{}", std::max(index - 1, 0)));
    SetWord(pod.annotations, kPlanAnnotation, "serve-0.1");
    return pod;
  }
  bool AnyPasses(int run) {
    bool any = false;
    for (int i = 0; i < 3; ++i) any |= !Passed(Pod(run, i)).empty();
    return any;
  }
  void StartSecond() {
    for (int i = 0; i < 3; ++i) CHECK(Try(*this, Pod(2, i)));
    CHECK(BindAll() == 3);
    CHECK(StateOf("team/serve-0") == "Running");
  }
  std::vector<std::string> nodes;
};

TEST_CASE("Replica runs: a leader that is deleted alone is made anew with all of its workers") {
  ReplicaWorld world;
  if (GENERATE(true, false)) world.ShowTerminating(world.Bound(0));
  world.Delete(world.Pod(1, 0));
  world.Show(world.Pod(2, 0));
  CHECK(world.Passed(world.Pod(2, 0)).empty());
  for (int i = 1; i < 3; ++i) {
    world.ShowTerminating(world.Bound(i));
    CHECK_FALSE(world.AnyPasses(2));
  }
  world.Delete(world.Pod(1, 1));
  world.Show(world.Pod(2, 1));
  CHECK_FALSE(world.AnyPasses(2));
  world.Delete(world.Pod(1, 2));
  CHECK(world.Take<BindingWrite>().empty());
  world.Show(world.Pod(2, 2));
  world.StartSecond();
}

TEST_CASE("Replica runs: pods of the next one may come before any of the last one has stopped") {
  ReplicaWorld world;
  std::vector<int> order = {0, 1, 2};
  do {
    ReplicaWorld anew;
    for (const int i : order) anew.Show(ReplicaWorld::Pod(2, i));
    CHECK_FALSE(anew.AnyPasses(2));
    for (const int i : order) {
      anew.Delete(ReplicaWorld::Pod(1, i));
      CHECK(anew.AnyPasses(2) == (i == order.back()));
    }
    anew.StartSecond();
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("Replica runs: a worker of the last run that is made once more is that run's") {
  ReplicaWorld world;
  world.Delete(world.Pod(1, 0));
  world.Show(world.Pod(2, 0));
  world.Delete(world.Pod(1, 1));
  PodFacts again = world.Pod(1, 1);
  again.uid += "-again";
  world.Show(again);
  CHECK(world.Report("team/serve-0").seen == 1);  // the leader's
}

TEST_CASE("Replica runs: workers of another StatefulSet of the same leader are its own") {
  ReplicaWorld world;
  PodFacts worker = world.Pod(1, 1);
  worker.uid += "-again";
  worker.controller->uid = "uid-workers-again";
  world.Register(WorkersOf(world.Pod(1, 0).uid, worker));
  world.Delete(world.Pod(1, 1));
  world.Show(worker);
  CHECK(world.Passed(worker) == world.nodes[1]);
}

TEST_CASE("Replica runs: a leader that is the last of its gang ends its run, as any other") {
  LivesWorld world(3);
  const auto pod = [](int index) {
    PodFacts one = ReplicaWorld::Pod(1, index);
    SetWord(one.annotations, "gangplan.io/pod-sets", "workers=2,leader=1");
    SetWord(one.annotations, "gangplan.io/pod-set", index == 0 ? "leader" : "workers");
    return one;
  };
  world.Register(WorkersOf(pod(0).uid, pod(1)));
  for (int i = 0; i < 3; ++i) world.Show(pod(i));
  for (int i = 0; i < 3; ++i) REQUIRE(Try(world, pod(i)));
  REQUIRE(world.BindAll() == 3);
  const bool first = GENERATE(true, false);
  world.Delete(pod(first ? 0 : 2));
  CHECK(world.HoldCount() == (first ? 0 : 1));
  world.Delete(pod(first ? 2 : 0));
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Replica runs: the scheduler may ask about a worker before the watch shows anybody") {
  ReplicaWorld world;
  world.Delete(world.Pod(1, 0));
  CHECK(world.Passed(world.Pod(2, 1)).empty());
  for (int i = 0; i < 3; ++i) world.Show(world.Pod(2, i));
  CHECK(world.Report("team/serve-0").seen == 3);
}

TEST_CASE("Replica runs: a Gangplan that begins anew tells them apart, whoever is listed first") {
  ReplicaWorld world;
  std::vector<PodFacts> listed;
  for (int i = 1; i < 3; ++i) listed.push_back(world.Bound(i));
  for (int i = 0; i < 2; ++i) listed.push_back(world.Pod(2, i));
  if (GENERATE(false, true)) std::reverse(listed.begin(), listed.end());
  world.Restart();
  world.AddNodes(MakeNodes(1, 1, 3));
  for (const PodFacts& pod : listed) world.Show(pod);
  world.Sync();
  CHECK_FALSE(world.AnyPasses(2));
  for (int i = 1; i < 3; ++i) world.Delete(world.Pod(1, i));
  world.Show(world.Pod(2, 2));
  world.StartSecond();
}

TEST_CASE("Replica runs: half of one that a Gangplan leaves is finished by the next one") {
  ReplicaWorld world;
  world.Restart();
  world.AddNodes(MakeNodes(1, 1, 3));
  for (int i = 1; i < 3; ++i) world.Show(world.Bound(i));
  world.Show(world.Pod(1, 0));  // its Binding was never written
  world.Sync();
  CHECK(world.Passed(world.Pod(1, 0)) == world.nodes[0]);
}

TEST_CASE("Replica runs: whose StatefulSet is gone before it is read is of no later run") {
  ReplicaWorld world;
  world.Restart();
  world.AddNodes(MakeNodes(1, 1, 3));
  for (int i = 1; i < 3; ++i) {
    PodFacts pod = world.Bound(i);
    pod.controller->uid = "uid-unknown";
    world.ShowTerminating(pod);
  }
  world.Show(world.Pod(2, 0));
  world.Sync();
  CHECK(world.Passed(world.Pod(2, 0)).empty());
  CHECK(world.Report("team/serve-0").seen == 1);
}

}  // namespace
}  // namespace gangplan::replica_runs_test
