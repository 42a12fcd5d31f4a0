// Who stands in line for room, and who passes whom: queue.mode.
#include "extender/planner/room_line.h"

#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan {
namespace {

RoomLine::Place PlaceAt(int32_t priority, int64_t created, GroupId group) {
  return SolveQueue::PlaceOf(group, {priority, 0, created});
}

JobSpec Gang(std::string_view name, int32_t size, int32_t priority = 0) {
  return {.name = std::string(name),
          .size = size,
          .gpus = 8,
          .place = "rack=pack!",
          .priority = priority};
}

PlannerOptions Strict() {
  PlannerOptions options = PlannerWorld::Options();
  options.queue_mode = QueueMode::kStrict;
  return options;
}

// Two racks of two nodes, of which "runs" has one: "waits" needs a whole rack, and each other one
// of the rest is too small for it.
struct TwoRacks {
  PlannerWorld world;
  JobSpec runs = Gang("runs", 2);
  JobSpec half = Gang("half", 1);
  JobSpec waits = Gang("waits", 2);

  explicit TwoRacks(PlannerOptions options = Strict()) : world(std::move(options)) {
    world.AddNodes(MakeNodes(1, 2, 2));
    world.Sync();
    Run(runs);
    Run(half);
    world.ShowJob(waits, 0, waits.size);
    REQUIRE(world.Nodes("team/waits").empty());
  }
  void Run(const JobSpec& job) {
    world.ShowJob(job, 0, job.size);
    for (int i = 0; i < job.size; ++i) world.FilterAndBind(JobPod(job, i));
    REQUIRE(world.BindAll() == job.size);
  }
  void End(const JobSpec& job) {
    const std::vector<std::string> nodes = world.Nodes("team/" + job.name);
    for (int i = 0; i < job.size; ++i) {
      PodFacts pod = JobPod(job, i);
      pod.node_name = nodes[static_cast<size_t>(i)];
      world.Delete(pod);
    }
    world.Pass(absl::Seconds(1));
  }
  bool HasRoom(const JobSpec& job) { return !world.Nodes("team/" + job.name).empty(); }
};

constexpr std::string_view kBehind = "others that wait for room come before it";

TEST_CASE("the line is in the order of priority and age, and tells when another one is the first") {
  RoomLine line;
  CHECK_FALSE(line.head());
  line.Stand(PlaceAt(0, 10, 1));
  CHECK(line.version() == 1);
  line.Stand(PlaceAt(0, 20, 2));
  line.Stand(PlaceAt(0, 15, 3));
  CHECK(line.version() == 1);
  line.Stand(PlaceAt(5, 30, 4));
  CHECK(line.version() == 2);
  CHECK(line.head() == 4);
  CHECK(line.size() == 4);
  CHECK(line.PositionOf(3) == 3);
  CHECK(line.PositionOf(9) == 0);
  CHECK_FALSE(line.AnyBefore(PlaceAt(5, 30, 4)));
  CHECK_FALSE(line.AnyBefore(PlaceAt(9, 99, 9)));
  CHECK(line.AnyBefore(PlaceAt(0, 5, 9)));
  line.Stand(PlaceAt(0, 30, 4));  // its priority is another one now
  CHECK(line.head() == 1);
  CHECK(line.version() == 3);
  CHECK(line.PositionOf(4) == 4);
  line.Leave(9);
  line.Leave(2);
  CHECK(line.version() == 3);
  line.Leave(1);
  CHECK(line.head() == 3);
  CHECK(line.version() == 4);
  CHECK_FALSE(line.Stands(1));
}

TEST_CASE("strict: nobody passes a whole gang that waits for room, also where there is some") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  const JobSpec small = Gang("small", 1);
  world.ShowJob(small, 0, 1);
  CHECK_FALSE(racks.HasRoom(small));
  CHECK(world.Refusal(JobPod(small, 0)).find(kBehind) != std::string::npos);
  const JobSpec greater = Gang("greater", 1, 10);
  world.ShowJob(greater, 0, 1);
  CHECK(racks.HasRoom(greater));  // it comes before
  racks.End(racks.runs);
  CHECK(world.Nodes("team/waits").size() == 2);
  CHECK_FALSE(racks.HasRoom(small));  // "greater" has taken what was left
  racks.End(racks.half);
  CHECK(racks.HasRoom(small));
}

TEST_CASE("greedy: whoever fits goes") {
  TwoRacks racks(PlannerWorld::Options());
  const JobSpec small = Gang("small", 1);
  racks.world.ShowJob(small, 0, 1);
  CHECK(racks.HasRoom(small));
}

TEST_CASE("strict: each leaves the line when it is its turn no more") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  const JobSpec small = Gang("small", 1);
  world.ShowJob(small, 0, 1);
  REQUIRE_FALSE(racks.HasRoom(small));
  SECTION("a pod of the first one is deleted: it is whole no more") {
    world.Delete(JobPod(racks.waits, 1));
  }
  SECTION("all of it is deleted") {
    world.Delete(JobPod(racks.waits, 0));
    world.Delete(JobPod(racks.waits, 1));
  }
  SECTION("the cluster shrinks: it could not stand in the empty one") {
    world.DeleteNode("b0-r1-n0");
    world.DeleteNode("b0-r0-n1");
  }
  world.Pass(absl::Seconds(1));
  world.Pass(absl::Seconds(1));
  CHECK(racks.HasRoom(small));
}

TEST_CASE("strict: gangs that can never stand, or are not all there, keep nobody off") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  world.Delete(JobPod(racks.waits, 0));
  world.Delete(JobPod(racks.waits, 1));
  const JobSpec huge = Gang("huge", 3, 10);
  world.ShowJob(huge, 0, 3);
  const JobSpec gathers = Gang("gathers", 2, 10);
  world.ShowJob(gathers, 0, 1);
  const JobSpec small = Gang("small", 1);
  world.ShowJob(small, 0, 1);
  CHECK(racks.HasRoom(small));
}

TEST_CASE("strict: a gang whose last pod comes while it waits keeps its turn from then on") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  const JobSpec next = Gang("next", 2);
  world.ShowJob(next, 0, 1);
  world.Show(JobPod(next, 1));
  const JobSpec small = Gang("small", 1);
  world.ShowJob(small, 0, 1);
  racks.End(racks.runs);
  CHECK(racks.HasRoom(racks.waits));
  CHECK_FALSE(racks.HasRoom(next));
  CHECK_FALSE(racks.HasRoom(small));
  racks.End(racks.half);
  CHECK(racks.HasRoom(next));
}

TEST_CASE("strict: who runs has its lost members placed anew, whoever waits") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  PodFacts lost = JobPod(racks.half, 0);
  lost.node_name = world.Nodes("team/half").front();
  const JobSpec wide = Gang("wide", 2, 5);
  world.ShowJob(wide, 0, 2);
  REQUIRE_FALSE(racks.HasRoom(wide));
  world.Delete(lost);
  world.Show(JobPod(racks.half, 0, 1));
  CHECK_FALSE(racks.HasRoom(racks.half));  // nothing of it is left: it begins anew, behind others
  CHECK(racks.HasRoom(wide));
}

TEST_CASE("strict: a gang with a pod that is no member keeps nobody off until that has gone") {
  TwoRacks racks;
  PlannerWorld& world = racks.world;
  PodFacts other = JobPod(racks.waits, 2);
  other.requests.front().amount += 1;
  world.Show(other);
  const JobSpec first = Gang("first", 1);
  world.ShowJob(first, 0, 1);
  CHECK(racks.HasRoom(first));
  racks.Run(first);
  world.Delete(other);
  PodFacts gone = JobPod(first, 0);
  gone.node_name = world.Nodes("team/first").front();
  world.Delete(gone);
  const JobSpec second = Gang("second", 1);
  world.ShowJob(second, 0, 1);
  CHECK_FALSE(racks.HasRoom(second));
}

}  // namespace
}  // namespace gangplan
