// Who stands in line for room, and who passes whom: queue.mode.
#include "extender/planner/room_line.h"

#include "tests/extender/planner/line_world.h"
#include "tests/support/catch.h"

namespace gangplan::room_line_test {
namespace {

RoomLine::Place PlaceAt(int32_t priority, int64_t created, GroupId group) {
  return SolveQueue::PlaceOf(group, {priority, 0, created});
}

// Two racks of two nodes, of which "runs" has one: "waits" needs a whole rack, and each other one
// of the rest is too small for it.
struct TwoRacks : LineWorld {
  JobSpec runs = RackGang("runs", 2);
  JobSpec half = RackGang("half", 1);
  JobSpec waits = RackGang("waits", 2);

  explicit TwoRacks(PlannerOptions options = With(QueueMode::kStrict))
      : LineWorld(MakeNodes(1, 2, 2), std::move(options)) {
    Start(runs);
    Start(half);
    ShowJob(waits, 0, waits.size);
    REQUIRE_FALSE(HasRoom(waits));
  }
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
  const JobSpec small = RackGang("small", 1);
  racks.ShowJob(small, 0, 1);
  CHECK_FALSE(racks.HasRoom(small));
  CHECK(racks.Refusal(JobPod(small, 0)).find(kBehind) != std::string::npos);
  const JobSpec greater = RackGang("greater", 1, "", 10);
  racks.ShowJob(greater, 0, 1);
  CHECK(racks.HasRoom(greater));  // it comes before
  racks.End(racks.runs);
  CHECK(racks.Nodes("team/waits").size() == 2);
  CHECK_FALSE(racks.HasRoom(small));  // "greater" has taken what was left
  racks.End(racks.half);
  CHECK(racks.HasRoom(small));
}

TEST_CASE("greedy: whoever fits goes") {
  TwoRacks racks(PlannerWorld::Options());
  const JobSpec small = RackGang("small", 1);
  racks.ShowJob(small, 0, 1);
  CHECK(racks.HasRoom(small));
}

TEST_CASE("strict: each leaves the line when it is its turn no more") {
  TwoRacks racks;
  const JobSpec small = RackGang("small", 1);
  racks.ShowJob(small, 0, 1);
  REQUIRE_FALSE(racks.HasRoom(small));
  SECTION("a pod of the first one is deleted: it is whole no more") {
    racks.Delete(JobPod(racks.waits, 1));
  }
  SECTION("all of it is deleted") {
    racks.Delete(JobPod(racks.waits, 0));
    racks.Delete(JobPod(racks.waits, 1));
  }
  SECTION("the cluster shrinks: it could not stand in the empty one") {
    racks.DeleteNode("b0-r1-n0");
    racks.DeleteNode("b0-r0-n1");
  }
  racks.Pass(absl::Seconds(1));
  racks.Pass(absl::Seconds(1));
  CHECK(racks.HasRoom(small));
}

TEST_CASE("strict: gangs that can never stand, or are not all there, keep nobody off") {
  TwoRacks racks;
  racks.Delete(JobPod(racks.waits, 0));
  racks.Delete(JobPod(racks.waits, 1));
  const JobSpec huge = RackGang("huge", 3, "", 10);
  racks.ShowJob(huge, 0, 3);
  const JobSpec gathers = RackGang("gathers", 2, "", 10);
  racks.ShowJob(gathers, 0, 1);
  const JobSpec small = RackGang("small", 1);
  racks.ShowJob(small, 0, 1);
  CHECK(racks.HasRoom(small));
}

TEST_CASE("strict: a gang whose last pod comes while it waits keeps its turn from then on") {
  TwoRacks racks;
  const JobSpec next = RackGang("next", 2);
  racks.ShowJob(next, 0, 1);
  racks.Show(JobPod(next, 1));
  const JobSpec small = RackGang("small", 1);
  racks.ShowJob(small, 0, 1);
  racks.End(racks.runs);
  CHECK(racks.HasRoom(racks.waits));
  CHECK_FALSE(racks.HasRoom(next));
  CHECK_FALSE(racks.HasRoom(small));
  racks.End(racks.half);
  CHECK(racks.HasRoom(next));
}

TEST_CASE("strict: who runs has its lost members placed anew, whoever waits") {
  TwoRacks racks;
  PodFacts lost = JobPod(racks.half, 0);
  lost.node_name = racks.Nodes("team/half").front();
  const JobSpec wide = RackGang("wide", 2, "", 5);
  racks.ShowJob(wide, 0, 2);
  REQUIRE_FALSE(racks.HasRoom(wide));
  racks.Delete(lost);
  racks.Show(JobPod(racks.half, 0, 1));
  CHECK_FALSE(racks.HasRoom(racks.half));  // nothing of it is left: it begins anew, behind others
  CHECK(racks.HasRoom(wide));
}

TEST_CASE("strict: a gang with a pod that is no member keeps nobody off until that has gone") {
  TwoRacks racks;
  PodFacts other = JobPod(racks.waits, 2);
  other.requests.front().amount += 1;
  racks.Show(other);
  const JobSpec first = RackGang("first", 1);
  racks.ShowJob(first, 0, 1);
  CHECK(racks.HasRoom(first));
  racks.Start(first);
  racks.Delete(other);
  PodFacts gone = JobPod(first, 0);
  gone.node_name = racks.Nodes("team/first").front();
  racks.Delete(gone);
  const JobSpec second = RackGang("second", 1);
  racks.ShowJob(second, 0, 1);
  CHECK_FALSE(racks.HasRoom(second));
}

}  // namespace
}  // namespace gangplan::room_line_test
