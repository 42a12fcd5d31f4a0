// Maintenance while gangs live: told while others give way, or a gang starts, and nodes that are
// made anew.
#include "extender/planner/maintenance.h"

#include "tests/extender/planner/line_world.h"
#include "tests/extender/planner/preemption_world.h"
#include "tests/support/catch.h"

namespace gangplan {
namespace {

NodeFacts EmptyAt(NodeFacts node, absl::Time begins) {
  node.maintenance = absl::ToUnixSeconds(begins);
  return node;
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
}  // namespace gangplan
