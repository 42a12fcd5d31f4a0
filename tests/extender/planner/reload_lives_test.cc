// What an operator changes in the midst of what goes on.
#include "tests/extender/planner/lives_world.h"
#include "tests/extender/planner/restarts_world.h"
#include "tests/extender/planner/suspended_world.h"

namespace gangplan::reload_lives_test {
namespace {

void Reload(PlannerWorld& world, const PlannerOptions& options) {
  world.planner().Reconfigure(world.now(), options);
  world.Pass(absl::Seconds(1));
}

TEST_CASE("Reload: who was relaxed has its rules again where that is not wanted any more") {
  const OnFailure other = GENERATE(OnFailure::kRestart, OnFailure::kWait);
  AnewWorld world(MakeNodes(1, 2, 3), Relaxing());
  world.RunJob(kTrain);
  world.Lose(kTrain, 2);
  world.Wait(kRestartTimeout + absl::Seconds(2));
  REQUIRE(world.Report("team/train").place == "rack=pack! (what it has lost may go anywhere)");
  PlannerOptions options = Restarting();
  options.repair.on_failure = other;
  Reload(world, options);
  CHECK(world.Report("team/train").place == "rack=pack!");
}

TEST_CASE("Reload: how long a gang has lacked room counts anew once that is of interest again") {
  AnewWorld world(MakeNodes(1, 2, 3));
  world.RunJob(kTrain);
  const std::string node = world.Nodes("team/train")[2];
  PodFacts again = world.Lose(kTrain, 2);
  world.Wait(absl::Minutes(4));
  Reload(world, PlannerWorld::Options());
  world.Put(MakeNode(0, node[4] - '0', node[7] - '0'));
  world.Wait(absl::Seconds(2));
  world.FilterAndBind(again);
  REQUIRE(world.BindAll() == 1);
  REQUIRE(world.StateOf("team/train") == "Running");
  world.Wait(absl::Hours(1));
  world.Lose(kTrain, 2, 1);
  world.Wait(absl::Seconds(2));
  Reload(world, Restarting());
  world.Wait(absl::Seconds(5));
  CHECK(world.AnswerAll().empty());
  world.Wait(kRestartTimeout);
  CHECK(world.AnswerAll().size() == 2);
}

TEST_CASE("Reload: nobody is asked to start anew once that is not wanted any more") {
  AnewWorld world(MakeNodes(1, 2, 3));
  world.RunJob(kTrain);
  world.Lose(kTrain, 2);
  world.ForgetEffects();
  world.Wait(kRestartTimeout + absl::Seconds(2));
  const std::vector<PodDelete> asked = world.Take<PodDelete>();  // whether all of it may go
  REQUIRE(asked.size() == 2);
  PlannerOptions options = Restarting();
  options.repair.on_failure = OnFailure::kWait;
  Reload(world, options);
  for (const PodDelete& one : asked)
    world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
  CHECK(world.Take<PodMark>().empty());
  CHECK(world.AnswerAll().empty());
}

TEST_CASE("Reload: what the engine before had no word for is asked once more") {
  PlannerOptions options = PlannerWorld::Options();
  options.engine_for_all = Strategy::kTas;
  PlannerWorld world(options);
  world.AddNodes(MakeNodes(1, 2, 3));
  world.Sync();
  world.ShowJob({.name = "train", .size = 2, .gpus = 8, .place = "rack=spread"}, 0, 2);
  REQUIRE(world.Report("team/train").outcome == Outcome::kInvalid);
  options.engine_for_all.reset();
  Reload(world, options);
  CHECK(world.StateOf("team/train") == "Planned");
}

TEST_CASE("Reload: a Job that waits suspended for a greater limit is started when it comes") {
  PlannerOptions options = PlannerWorld::Options();
  options.claims.members = 1;
  SuspendedWorld world(options);
  world.Register(Pair());
  world.See(Pair());
  CHECK(world.Take<JobWrite>().empty());
  options.claims.members = 10;
  Reload(world, options);
  CHECK(world.Take<JobWrite>().size() == 1);
}

TEST_CASE("Reload: a node that had failed has the new time from now on, too") {
  PlannerOptions options = PlannerWorld::Options();
  options.repair.after = absl::Minutes(1);
  AnewWorld world(MakeNodes(1, 1, 3), options);
  world.RunJob({.name = "train", .size = 2, .gpus = 8, .place = "rack=pack!"});
  const std::string name = world.Nodes("team/train")[0];
  NodeFacts node = MakeNode(0, 0, name[7] - '0');
  node.ready = false;
  world.Put(node);
  world.Wait(absl::Minutes(2));
  REQUIRE_FALSE(world.Take<PodDelete>().empty());
  options.repair.after = absl::Hours(2);
  Reload(world, options);
  world.ForgetEffects();
  world.Wait(absl::Minutes(30));
  CHECK(world.Take<PodDelete>().empty());
}

// A gang of four with two spare nodes, in a cluster of fourteen of which a namespace may have 20 %.
struct SparesBench : PlannerWorld {
  explicit SparesBench(int32_t share) : PlannerWorld(With(share)) {
    AddNodes(MakeNodes(1, 2, 7));
    Sync();
    SetWord(job.words, "gangplan.io/spares", "2");
    Run(*this, job);
    Pass(absl::Seconds(1));
    REQUIRE(HoldCount() == 2);
  }
  static PlannerOptions With(int32_t share) {
    PlannerOptions options = Options();
    options.vacant_share = share;
    return options;
  }
  bool MayHoldTwo() {
    ShowJob({.name = "other", .size = 3, .gpus = 8, .place = "rack=pack!"}, 0, 1);
    return StateOf("team/other") == "Gathering";
  }
  JobSpec job = Whole("train", 4);
};

TEST_CASE("Reload: spares that came while there was no limit are counted from then on") {
  SparesBench world(100);
  Reload(world, SparesBench::With(20));
  CHECK_FALSE(world.MayHoldTwo());
}

TEST_CASE("Reload: spares that went while there was no limit are not counted later") {
  SparesBench world(20);
  Reload(world, SparesBench::With(100));
  const auto nodes = world.Nodes("team/train");
  for (int i = 0; i < 4; ++i) {
    PodFacts pod = JobPod(world.job, i);
    pod.node_name = nodes[static_cast<size_t>(i)];
    world.Delete(pod);
  }
  world.Pass(absl::Seconds(1));
  REQUIRE(world.HoldCount() == 0);
  Reload(world, SparesBench::With(20));
  CHECK(world.MayHoldTwo());
}

}  // namespace
}  // namespace gangplan::reload_lives_test
