// Maintenance while gangs live: words that come late, others that give way, promises, and nodes
// that are made anew.
#include "extender/planner/maintenance.h"
#include "fmt/format.h"

#include "tests/extender/planner/line_world.h"
#include "tests/extender/planner/lives_world.h"
#include "tests/extender/planner/preemption_world.h"
#include "tests/support/catch.h"

namespace gangplan::maintenance_lives_test {
namespace {

NodeFacts EmptyAt(NodeFacts node, absl::Time begins) {
  node.maintenance = absl::ToUnixSeconds(begins);
  return node;
}

TEST_CASE("maintenance lives: runtime told later on the pods") {
  LineWorld world(MakeNodes(1, 1, 2), With(QueueMode::kGreedy));
  for (int node = 0; node < 2; ++node)
    world.Put(EmptyAt(MakeNode(0, 0, node), world.now() + absl::Hours(10)));
  JobSpec job = RackGang("train", 2);
  world.Come(job);
  REQUIRE_FALSE(world.HasRoom(job));
  SetWord(job.words, kRuntimeWord, "1h");
  for (int i = 0; i < 2; ++i) world.Show(JobPod(job, i));
  world.Pass(absl::Minutes(2));
  CHECK(world.HasRoom(job));
  CHECK(world.Of(job).reason == "");
}

TEST_CASE("maintenance lives: runtime told later on the Job") {
  LineWorld world(MakeNodes(1, 1, 2), With(QueueMode::kGreedy));
  for (int node = 0; node < 2; ++node)
    world.Put(EmptyAt(MakeNode(0, 0, node), world.now() + absl::Hours(10)));
  JobSpec job = RackGang("train", 2);
  world.Come(job);
  REQUIRE_FALSE(world.HasRoom(job));
  OwnerFacts owner = JobOwner(job);
  SetWord(owner.annotations, kRuntimeWord, "1h");
  world.Reregister(owner);
  for (int i = 0; i < 100; ++i) world.Pass(absl::Seconds(2));
  CHECK(world.HasRoom(job));
  CHECK(world.Of(job).reason == "");
}

TEST_CASE("maintenance lives: runtime told later on the Job of a gang that has lost a member") {
  LineWorld world(MakeNodes(1, 1, 4), With(QueueMode::kGreedy));
  JobSpec job = RackGang("train", 3);
  const bool elastic = GENERATE(false, true);
  if (elastic) SetWord(job.words, "gangplan.io/start", "2");
  world.Come(job);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 3; ++i) Try(world, JobPod(job, i));
    world.BindAll();
  }
  REQUIRE(world.Of(job).bound == 3);
  world.Put(EmptyAt(MakeNode(0, 0, 3), world.now() + absl::Hours(10)));
  world.Pass(absl::Hours(1));
  const std::string lost = world.At(job)[2];
  REQUIRE(lost != NodeNameAt(0, 0, 3));
  world.DeleteNode(lost);
  world.Delete(JobPod(job, 2));
  const PodFacts again = JobPod(job, 2, 1);
  world.Show(again);
  for (int i = 0; i < 100; ++i) world.Pass(absl::Seconds(2));
  REQUIRE(world.Passed(again).empty());
  REQUIRE(world.Of(job).reason.find("nobody has told how long the gang runs") != std::string::npos);
  SECTION("on the Job") {
    OwnerFacts owner = JobOwner(job);
    SetWord(owner.annotations, kRuntimeWord, "1h");
    world.Reregister(owner);
    for (int i = 0; i < 16; ++i) world.Pass(absl::Seconds(2));
  }
  SECTION("on the pod") {
    PodFacts told = again;
    SetWord(told.annotations, kRuntimeWord, "1h");
    world.Show(told);
    world.Pass(absl::Seconds(1));
  }
  CHECK(world.Passed(again) == NodeNameAt(0, 0, 3));
}

TEST_CASE("maintenance lives: nobody goes for a plan that maintenance keeps its gang off by now") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.ShowJob(racks.high, 0, 2);
  REQUIRE(world.Nodes("team/a")[0] == "b0-r0-n0");
  for (int node = 0; node < 2; ++node)
    world.Put(EmptyAt(MakeNode(0, 0, node), world.now() + absl::Minutes(1)));
  racks.Try();
  CHECK(world.Take<PodMark>().empty());
  CHECK(world.StateOf("team/a") == "Running");
}

// Both racks would be too early for a gang that begins a stop of 30 s later.
TEST_CASE("maintenance lives: nobody goes who stops too slowly for what is left before it") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  SetWord(racks.high.words, kRuntimeWord, "1h");
  const absl::Time end =
      world.now() + PlannerWorld::Options().gather_timeout + absl::Seconds(3600 + 30 + 1);
  const auto begins = [&](int rack, absl::Time at) {
    for (int node = 0; node < 2; ++node) world.Put(EmptyAt(MakeNode(0, rack, node), at));
  };
  begins(0, end + absl::Seconds(20));
  SECTION("in no rack is there time enough") {
    begins(1, end + absl::Seconds(20));
    world.ShowJob(racks.high, 0, 2);
    world.Pass(absl::Seconds(5));
    CHECK(racks.Try().empty());
    CHECK(world.Take<PodMark>().empty());
  }
  SECTION("those go in whose rack there is, though others are of lower priority") {
    begins(1, end + absl::Seconds(120));
    world.ShowJob(racks.high, 0, 2);
    world.Pass(absl::Seconds(5));
    CHECK(racks.Try() == std::vector<std::string>{"b-0-0", "b-1-0"});
  }
}

TEST_CASE("maintenance lives: room is promised where maintenance is far behind its end") {
  LineWorld world(MakeNodes(1, 2, 2), With(QueueMode::kBackfill));
  for (int node = 0; node < 2; ++node) {
    world.Put(EmptyAt(MakeNode(0, 0, node), world.now() + absl::Hours(2)));
    world.Put(EmptyAt(MakeNode(0, 1, node), world.now() + absl::Hours(24 * 365)));
  }
  world.Foreign("soon", 8, NodeNameAt(0, 0, 0), 0, 1'800);
  world.Foreign("later", 8, NodeNameAt(0, 1, 0), 0, 3'600);
  const JobSpec waits = RackGang("waits", 2, "110m");
  world.Come(waits);
  REQUIRE_FALSE(world.HasRoom(waits));
  CHECK(world.Of(waits).reservation.find("room for 2 is kept in b0/r1") == 0);
}

TEST_CASE("maintenance lives: a promise goes where maintenance is told for its nodes") {
  LineWorld world(MakeNodes(1, 2, 2), With(QueueMode::kBackfill));
  world.Foreign("soon", 8, NodeNameAt(0, 0, 0), 0, 1'800);
  world.Foreign("later", 8, NodeNameAt(0, 1, 0), 0, 3'600);
  const JobSpec waits = RackGang("waits", 2, "110m");
  world.Come(waits);
  REQUIRE(world.Of(waits).reservation.find("room for 2 is kept in b0/r0") == 0);
  for (int node = 0; node < 2; ++node)
    world.Put(EmptyAt(MakeNode(0, 0, node), world.now() + absl::Hours(2)));
  for (int i = 0; i < 10; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.Of(waits).reservation.find("room for 2 is kept in b0/r1") == 0);
}

// "busy" has told no end, so "waits" might begin there at any time, also in a year.
TEST_CASE(
    "maintenance lives: room of others without an end is kept where no maintenance is to be") {
  LineWorld world(MakeNodes(1, 2, 2), With(QueueMode::kBackfill));
  for (int node = 0; node < 2; ++node)
    world.Foreign(fmt::format("by-hand-{}", node), 8, NodeNameAt(0, 1, node));
  world.Start(RackGang("busy", 2));
  const JobSpec waits = RackGang("waits", 2, "1h");
  const auto kept = [&] {
    for (int i = 0; i < 10; ++i) world.Pass(absl::Seconds(1));
    return world.Of(waits).reservation;
  };
  world.Come(waits);
  REQUIRE_FALSE(world.HasRoom(waits));
  CHECK(kept().find("room for 2 is kept in b0/r0") == 0);
  for (int node = 0; node < 2; ++node)
    world.Put(EmptyAt(MakeNode(0, 0, node), world.now() + absl::Hours(24 * 365)));
  CHECK(kept().find("no room can be kept for it") == 0);
}

TEST_CASE("maintenance lives: a gang that has begun keeps its nodes") {
  LineWorld world(MakeNodes(1, 1, 2), With(QueueMode::kGreedy));
  const JobSpec job = RackGang("train", 2);
  world.Come(job);
  for (int node = 0; node < 2; ++node)
    world.Put(EmptyAt(MakeNode(0, 0, node), world.now() + absl::Hours(1)));
  world.FilterAndBind(JobPod(job, 0));
  world.FilterAndBind(JobPod(job, 1));
  REQUIRE(world.BindAll() == 2);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("maintenance lives: a node that comes back by another name has no old word") {
  LineWorld world(MakeNodes(1, 1, 1), With(QueueMode::kGreedy));
  world.Put(EmptyAt(MakeNode(0, 0, 0), world.now()));
  world.DeleteNode(NodeNameAt(0, 0, 0));
  world.Put(MakeNode(0, 0, 1));
  world.Put(MakeNode(0, 0, 0));
  world.Put(EmptyAt(MakeNode(0, 0, 1), world.now()));
  world.DeleteNode(NodeNameAt(0, 0, 1));
  const JobSpec job = RackGang("train", 1);
  world.Come(job);
  CHECK(world.At(job) == std::vector<std::string>{NodeNameAt(0, 0, 0)});
}

}  // namespace
}  // namespace gangplan::maintenance_lives_test
