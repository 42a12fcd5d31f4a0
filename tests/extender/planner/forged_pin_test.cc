// Pods that say that they were released to nodes, and were not: anybody may write that.
#include "tests/extender/planner/gates_world.h"
#include "tests/extender/planner/line_world.h"

namespace gangplan::forged_pin_test {
namespace {

JobSpec Forged(JobSpec job, std::string_view words = "x") {
  SetWord(job.words, kPinnedAnnotation, words);
  return job;
}

PlannerOptions Strict(GateUse gates) {
  PlannerOptions options = With(QueueMode::kStrict);
  options.gates = gates;
  return options;
}

// Of two racks of two nodes one and a half are taken, and a gang of two waits.
struct OneLeft : LineWorld {
  explicit OneLeft(GateUse gates) : LineWorld(MakeNodes(1, 2, 2), Strict(gates)) {
    Start(RackGang("runs", 2));
    Start(RackGang("half", 1));
    const JobSpec waits = RackGang("waits", 2);
    ShowJob(waits, 0, waits.size);
    REQUIRE_FALSE(HasRoom(waits));
  }
};

TEST_CASE("Forged: who says that it was released passes nobody in line") {
  OneLeft world(GENERATE(GateUse::kNone, GateUse::kGangplan));
  const JobSpec small = Forged(RackGang("small", 1));
  SECTION("as the watch shows it") { world.ShowJob(small, 0, 1); }
  SECTION("as the scheduler asks first") {
    world.Register(small);
    CHECK(world.Passed(JobPod(small, 0)).empty());
  }
  SECTION("as it is written a moment later, with other words") {
    JobSpec before = RackGang("small", 1);
    before.place = "block=pack!";
    world.ShowJob(before, 0, 1);
    world.Show(JobPod(small, 0));
  }
  CHECK_FALSE(world.HasRoom(small));
}

TEST_CASE("Forged: who says that it was released gives way to a greater priority") {
  LivesWorld world(2);
  const JobSpec low = Forged(Whole("low", 2));
  const JobSpec high = Whole("high", 2, 1000);
  world.ShowJob(low, 0, 1);
  REQUIRE(world.StateOf("team/low") == "Gathering");
  world.ShowJob(high, 0, 2);
  CHECK(world.StateOf("team/high") == "Planned");
}

TEST_CASE("Forged: who was released keeps its nodes, also after a restart") {
  GatesWorld world;
  JobSpec job = Whole("train", 2);
  world.ShowGated(job);
  const auto releases = world.Take<PodRelease>();
  REQUIRE(releases.size() == 2);
  world.Restart();
  world.Register(job);
  world.AddNodes(MakeNodes(1, 2, 2));
  for (int i = 0; i < 2; ++i) {
    const PodFacts pod = JobPod(job, i);
    const PodRelease& release = releases[0].pod.uid == pod.uid ? releases[0] : releases[1];
    world.Show(GatesWorld::After(GatesWorld::Behind(pod), release));
  }
  world.Sync();
  const JobSpec high = Whole("high", 2, 1000);
  world.ShowJob(high, 0, 2);
  CHECK(world.StateOf("team/train") == "Planned");
  CHECK(world.Nodes("team/high") != world.Nodes("team/train"));
}

}  // namespace
}  // namespace gangplan::forged_pin_test
