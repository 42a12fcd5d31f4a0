// A replica of a LeaderWorkerSet that is made anew, while pods of its last run are there.
#include "extender/planner/replica_runs.h"

#include "extender/frontends/gangplan/words.h"
#include "tests/extender/planner/lives_world.h"

namespace gangplan::replica_runs_test {
namespace {

// A leader and two workers have three whole nodes, all there are.
struct ReplicaWorld : LivesWorld {
  ReplicaWorld() : LivesWorld(3) {
    Show(Pod(1, 0));
    Show(Pod(1, 1));
    Show(Pod(1, 2));
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
    return pod;
  }
  bool AnyPasses(int run) {
    bool any = false;
    for (int i = 0; i < 3; ++i) any |= !Passed(Pod(run, i)).empty();
    return any;
  }
  std::vector<std::string> nodes;
};

TEST_CASE("Replica runs: a leader that is deleted alone is made anew with all of its workers") {
  ReplicaWorld world;
  const bool at_once = GENERATE(true, false);
  if (!at_once) world.ShowTerminating(world.Bound(0));
  world.Delete(world.Pod(1, 0));
  world.Show(world.Pod(2, 0));
  CHECK(world.Passed(world.Pod(2, 0)).empty());
  const JobSpec late = Whole("late", 1);  // in between
  world.ShowJob(late, 0, 1);
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
}

TEST_CASE("Replica runs: what comes anew starts as a whole, when the last pod of before is gone") {
  ReplicaWorld world;
  world.Delete(world.Pod(1, 0));
  const JobSpec late = Whole("late", 3);  // comes before the replica is made anew
  world.Register(late);
  for (int i = 0; i < 3; ++i) {
    PodFacts pod = JobPod(late, i);
    pod.created = 1500;
    world.Show(pod);
  }
  for (int i = 0; i < 3; ++i) world.Show(world.Pod(2, i));
  world.Delete(world.Pod(1, 1));
  CHECK_FALSE(world.AnyPasses(2));
  world.Delete(world.Pod(1, 2));
  for (int i = 0; i < 3; ++i) REQUIRE(Try(world, world.Pod(2, i)));
  CHECK(world.BindAll() == 3);
  CHECK(world.StateOf("team/serve-0") == "Running");
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

TEST_CASE("Replica runs: workers of another StatefulSet are the leader's that is there") {
  ReplicaWorld world;
  world.Delete(world.Pod(1, 1));
  world.Show(world.Pod(2, 1));
  CHECK(world.Passed(world.Pod(2, 1)) == world.nodes[1]);
}

TEST_CASE("Replica runs: a worker may be told before its leader") {
  ReplicaWorld world;
  world.Delete(world.Pod(1, 0));
  world.Show(world.Pod(2, 1));
  world.Show(world.Pod(2, 0));
  world.Show(world.Pod(2, 2));
  CHECK_FALSE(world.AnyPasses(2));
  world.Delete(world.Pod(1, 1));
  CHECK_FALSE(world.AnyPasses(2));
  world.Delete(world.Pod(1, 2));
  for (int i = 0; i < 3; ++i) CHECK(Try(world, world.Pod(2, i)));
}

TEST_CASE("Replica runs: a Gangplan that begins anew tells a new leader from older workers") {
  ReplicaWorld world;
  world.Restart();
  world.AddNodes(MakeNodes(1, 1, 3));
  for (int i = 1; i < 3; ++i) {
    PodFacts pod = world.Bound(i);
    SetWord(pod.annotations, kAssignedRankAnnotation, fmt::format("{}", i - 1));
    SetWord(pod.annotations, kPlanAnnotation, "serve-0.1");
    world.Show(pod);
  }
  world.Show(world.Pod(2, 0));
  world.Sync();
  CHECK(world.Passed(world.Pod(2, 0)).empty());
}

}  // namespace
}  // namespace gangplan::replica_runs_test
