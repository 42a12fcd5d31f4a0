// What an operator changes while the planner works.
#include "extender/planner/planner.h"
#include "extender/planner/solve_task.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::reload_test {
namespace {

JobSpec Gang(std::string name, int size, std::string place = "rack=pack!") {
  return {.name = std::move(name), .size = size, .gpus = 8, .place = std::move(place)};
}

TEST_CASE("Reload: plans and holds stay, and time-outs count for those that begin then") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Sync();
  world.ShowJob(Gang("train", 2), 0, 1);
  REQUIRE(world.StateOf("team/train") == "Gathering");
  const auto nodes = world.Nodes("team/train");
  PlannerOptions options = PlannerWorld::Options();
  options.gather_timeout = absl::Minutes(50);
  world.planner().Reconfigure(world.now(), options);
  CHECK(world.StateOf("team/train") == "Gathering");
  CHECK(world.Nodes("team/train") == nodes);
  world.ShowJob(Gang("next", 2), 0, 1);
  const auto deadline = world.Report("team/next").deadline;
  REQUIRE(deadline);
  CHECK(*deadline - world.now() == absl::Minutes(50));
  CHECK(*world.Report("team/train").deadline - world.now() < absl::Minutes(50));
}

TEST_CASE("Reload: the queue's mode may change both ways") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Sync();
  const PodFacts first = ForeignPod("first", 8), second = ForeignPod("second", 8);
  world.ShowBound(first, "b0-r0-n0");
  world.ShowBound(second, "b0-r1-n0");
  world.ShowJob(Gang("large", 2), 0, 2);
  REQUIRE(world.StateOf("team/large") == "Blocked");
  PlannerOptions options = PlannerWorld::Options();
  options.queue_mode = QueueMode::kStrict;
  world.planner().Reconfigure(world.now(), options);
  world.Pass(absl::Seconds(1));
  CHECK(world.Report("team/large").line_place == 1);
  world.ShowJob(Gang("small", 1), 0, 1);  // a node is free, and somebody stands before it
  CHECK(world.StateOf("team/small") == "Blocked");
  options.queue_mode = QueueMode::kGreedy;
  world.planner().Reconfigure(world.now(), options);
  world.Pass(absl::Seconds(1));
  CHECK(world.StateOf("team/small") == "Planned");
  CHECK(world.Report("team/large").line_place == 0);
}

TEST_CASE("Reload: from backfill to greedy what was kept is given back") {
  PlannerOptions options = PlannerWorld::Options();
  options.queue_mode = QueueMode::kBackfill;
  PlannerWorld world(options);
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  world.ShowBound(ForeignPod("first", 8), "b0-r0-n0");
  world.ShowJob(Gang("large", 2), 0, 2);
  for (int i = 0; i < 5; ++i) {
    for (const SolveOnCopy& solve : world.Take<SolveOnCopy>()) {
      solve.task->Run();
      world.planner().OnSolved(world.now(), *solve.task);
    }
    world.Pass(absl::Seconds(1));
  }
  options.queue_mode = QueueMode::kGreedy;
  world.planner().Reconfigure(world.now(), options);
  world.Pass(absl::Seconds(1));
  CHECK(world.HoldCount() == 0);
  CHECK(world.planner().BrokenInvariant() == "");
}

TEST_CASE("Reload: a node that is not ready has the new time from now on") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 3));
  world.Sync();
  const JobSpec job = Gang("train", 2);
  world.ShowJob(job, 0, 2);
  for (int i = 0; i < 2; ++i) world.FilterAndBind(JobPod(job, i));
  world.BindAll();
  NodeFacts node = MakeNode(0, 0, 0);
  node.ready = false;
  world.Put(node);
  world.Pass(absl::Minutes(10));
  CHECK(world.Take<PodDelete>().empty());
  PlannerOptions options = PlannerWorld::Options();
  options.repair.after = absl::Minutes(1);
  world.planner().Reconfigure(world.now(), options);
  world.Pass(absl::Seconds(59));
  CHECK(world.Take<PodDelete>().empty());
  world.Pass(absl::Seconds(2));
  CHECK(world.Take<PodDelete>().size() == 1);
}

TEST_CASE("Reload: what a namespace may claim counts for whoever comes then") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Sync();
  PlannerOptions options = PlannerWorld::Options();
  options.claims.groups = 1;
  world.planner().Reconfigure(world.now(), options);
  world.ShowJob(Gang("one", 1), 0, 1);
  world.ShowJob(Gang("two", 1), 0, 1);
  CHECK(world.StateOf("team/one") == "Planned");
  CHECK(world.planner().Stats().refused_claims == 1);
}

}  // namespace
}  // namespace gangplan::reload_test
