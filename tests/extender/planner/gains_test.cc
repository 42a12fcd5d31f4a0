// Who waits is asked once more when what came free may do, and is not when it cannot.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/extender/planner/gates_world.h"

namespace gangplan::gains_test {
namespace {

PodFacts Standing(int node) { return ForeignPod(fmt::format("f{}", node), 8); }

// Ticks until there is nothing left to do; true: that was soon.
bool Rests(PlannerWorld& world) {
  for (int i = 0; i < 20 && world.planner().busy(); ++i) world.planner().Tick(world.now());
  return !world.planner().busy();
}

}  // namespace

TEST_CASE("Gains: a pack below a spread needs its number in no single domain") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(2, 1, 1));
  world.Sync();
  for (int i = 0; i < 2; ++i) world.ShowBound(Standing(i), NodeNameAt(i, 0, 0));
  const JobSpec job{.name = "wide", .size = 2, .gpus = 8, .place = "block=spread; rack=pack!"};
  world.ShowJob(job, 0, 2);
  REQUIRE(world.StateOf("team/wide") == "Blocked");
  for (int i = 0; i < 2; ++i) {
    world.Delete(Standing(i));
    CHECK(Rests(world));
  }
  REQUIRE(world.StateOf("team/wide") == "Planned");
  // It is whole where it runs, so who is replaced goes where the other one has left.
  Start(world, job);
  world.Delete(JobPod(job, 1));
  world.Show(JobPod(job, 1, 1));
  CHECK(world.Passed(JobPod(job, 1, 1)) == NodeNameAt(1, 0, 0));
  CHECK(Try(world, JobPod(job, 1, 1)));
}

TEST_CASE("Gains: room is looked behind that was taken since the last look") {
  LivesWorld world(4);
  for (int i = 2; i < 4; ++i) world.ShowBound(Standing(i), NodeNameAt(0, 0, i));
  const JobSpec high = Whole("high", 4, 10);
  world.ShowJob(high, 0, 4);
  CHECK(Rests(world));
  world.ShowJob(Whole("low", 2), 0, 2);
  REQUIRE(world.StateOf("team/low") == "Planned");
  for (int i = 2; i < 4; ++i) world.Delete(Standing(i));
  CHECK(world.Passed(JobPod(high, 0)) != "");
  CHECK(world.StateOf("team/high") == "Planned");
  CHECK(world.StateOf("team/low") == "Blocked");
}

TEST_CASE("Gains: what could never be is told to wait when the cluster has grown") {
  LivesWorld world(2);
  for (int i = 0; i < 2; ++i) world.ShowBound(Standing(i), NodeNameAt(0, 0, i));
  for (const char* place : {"rack=pack!", "rack=pack"}) {
    const JobSpec job{.name = place, .size = 3, .gpus = 8, .place = place};
    world.ShowJob(job, 0, 3);
    REQUIRE(world.Report(fmt::format("team/{}", place)).outcome == Outcome::kImpossible);
  }
  world.Put(MakeNode(0, 0, 2));
  CHECK(Rests(world));
  for (const char* place : {"rack=pack!", "rack=pack"})
    CHECK(world.Report(fmt::format("team/{}", place)).outcome == Outcome::kWait);
}

TEST_CASE("Gains: a gang that was released asks with the room that it has") {
  GatesWorld world(GatesWorld::Unasked());
  for (int i = 0; i < 2; ++i) world.ShowBound(Standing(i), NodeNameAt(0, 1, i));
  JobSpec job{.name = "train", .size = 2, .gpus = 8, .place = "block=pack"};
  SECTION("of one shape") {}
  SECTION("of two shapes") { job.leader_gpus = 7; }
  world.ShowGated(job);
  world.ReleaseAll(job);
  world.DeleteNode("b0-r0-n1");
  CHECK(Rests(world));
  REQUIRE(world.StateOf("team/train") == "Blocked");
  // What it gives back at each attempt is no news to itself.
  for (int i = 0; i < 10; ++i) {
    world.Pass(absl::Milliseconds(50));
    CHECK(Rests(world));
  }
  world.Delete(Standing(1));
  CHECK(Rests(world));
  const std::vector<std::string> nodes = world.Nodes("team/train");
  CHECK(std::count(nodes.begin(), nodes.end(), "b0-r1-n1") == 1);
}

TEST_CASE("Gains: without gates, and before all is known, there is nothing to tick for") {
  PlannerWorld world;
  world.active = false;
  world.AddNodes(MakeNodes(1, 1, 1));
  CHECK_FALSE(world.planner().busy());
  const JobSpec job = Whole("train", 2);
  world.Register(job);
  PodFacts pod = JobPod(job, 0);
  SetWord(pod.annotations, kPinnedAnnotation, "b0-r0-n0");
  world.Show(pod);
  world.Sync();
  world.planner().SetActive(world.now(), true);
  world.Pass(absl::Seconds(1));
  CHECK(Rests(world));
}

}  // namespace gangplan::gains_test
