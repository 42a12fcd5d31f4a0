// Nodes that are to be empty at a time: who may still go there, what others are told, and what
// becomes of plans and promises.
#include "extender/planner/maintenance.h"
#include "fmt/format.h"

#include "tests/extender/planner/line_world.h"
#include "tests/support/catch.h"

namespace gangplan::maintenance_test {
namespace {

NodeFacts Until(NodeFacts node, absl::Time begins) {
  node.maintenance = absl::ToUnixSeconds(begins);
  return node;
}

// Two racks of two nodes; in 2 hours the first of them is to be empty.
struct TwoRacks : LineWorld {
  explicit TwoRacks(QueueMode mode = QueueMode::kGreedy)
      : LineWorld(MakeNodes(1, 2, 2), With(mode)) {
    for (int node = 0; node < 2; ++node) Put(Until(MakeNode(0, 0, node), begins));
    Some();
  }
  void Fill(int rack) {
    Foreign("full-" + std::to_string(rack), 8, NodeNameAt(0, rack, 0));
    Foreign("full-too-" + std::to_string(rack), 8, NodeNameAt(0, rack, 1));
  }
  const absl::Time begins = now() + absl::Hours(2);
};

TEST_CASE("maintenance: who is gone by then may go there, to the second") {
  TwoRacks world;
  world.Fill(1);
  // Its pods may come as late as room is held for them, and stop for as long as they may.
  const int64_t held = absl::ToInt64Seconds(PlannerWorld::Options().gather_timeout);
  const int64_t grace = JobPod(RackGang("any", 1), 0).run.grace;
  const int64_t left = absl::ToUnixSeconds(world.begins) - absl::ToUnixSeconds(world.now());
  const int64_t most = left - held - 1 - grace;
  const JobSpec late = RackGang("late", 2, fmt::format("{}s", most + 1));
  world.Come(late);
  CHECK_FALSE(world.HasRoom(late));
  const JobSpec fits = RackGang("fits", 2, fmt::format("{}s", most));
  world.Come(fits);
  CHECK(world.RackOf(fits) == "b0-r0");
}

TEST_CASE("maintenance: who has not told how long it runs stays away, and is told so") {
  TwoRacks world;
  const JobSpec other = RackGang("other", 2);
  world.Come(other);
  CHECK(world.RackOf(other) == "b0-r1");
  const JobSpec waits = RackGang("waits", 2);
  world.Come(waits);
  REQUIRE_FALSE(world.HasRoom(waits));
  CHECK(world.Of(waits).state == GroupState::kBlocked);
  CHECK(world.Of(waits).reason.find(
            "; maintenance keeps it off 2 nodes: it begins at 1970-01-12T15:46:40Z on the first of "
            "them, and nobody has told how long the gang runs (gangplan.io/runtime)") !=
        std::string::npos);
  // No time passes for what is told.
  const std::string told = world.Of(waits).reason;
  world.Pass(absl::Minutes(20));
  CHECK(world.Of(waits).reason == told);
}

TEST_CASE("maintenance: it waits and is not impossible, also where all nodes are to be empty") {
  LineWorld world(MakeNodes(1, 1, 2), With(QueueMode::kGreedy));
  for (int node = 0; node < 2; ++node)
    world.Put(Until(MakeNode(0, 0, node), world.now() + absl::Hours(1)));
  const JobSpec day = RackGang("day", 2, "24h");
  world.Come(day);
  CHECK(world.Of(day).state == GroupState::kBlocked);
  CHECK(world.Of(day).reason.find(
            "maintenance keeps it off 2 nodes: it begins at 1970-01-12T14:46:40Z on the first of "
            "them, and the gang takes its room for 24h") != std::string::npos);
}

TEST_CASE("maintenance: when the word goes, or another time comes, it is asked anew") {
  TwoRacks world;
  world.Fill(1);
  const JobSpec long_one = RackGang("long", 2, "3h");
  world.Come(long_one);
  REQUIRE_FALSE(world.HasRoom(long_one));
  const bool goes = GENERATE(true, false);
  for (int node = 0; node < 2; ++node) {
    const NodeFacts open = MakeNode(0, 0, node);
    world.Put(goes ? open : Until(open, world.begins + absl::Hours(2)));
  }
  world.Some();
  CHECK(world.RackOf(long_one) == "b0-r0");
}

TEST_CASE("maintenance: what has room or runs stays, and a lost member goes elsewhere") {
  LineWorld world(MakeNodes(1, 1, 3), With(QueueMode::kGreedy));
  const JobSpec runs = RackGang("runs", 2);
  world.Start(runs);
  const std::vector<std::string> at = world.At(runs);
  const JobSpec held = RackGang("held", 1);
  world.Come(held);
  REQUIRE(world.HasRoom(held));
  for (int node = 0; node < 3; ++node)
    world.Put(Until(MakeNode(0, 0, node), world.now() + absl::Minutes(1)));
  world.Pass(absl::Minutes(2));
  CHECK(world.At(runs) == at);
  CHECK(world.Passed(JobPod(held, 0)) == world.At(held)[0]);
  world.Put(MakeNode(0, 0, 3));
  world.Delete(world.BoundPod(runs, 0));
  world.Show(JobPod(runs, 0, 1));
  world.Some();
  REQUIRE(world.At(runs).size() == 2);
  CHECK(world.At(runs)[0] == NodeNameAt(0, 0, 3));
  CHECK(world.At(runs)[1] == at[1]);
}

TEST_CASE("maintenance: a word that is no time keeps gangs off at once, and is told") {
  LineWorld world(MakeNodes(1, 1, 1), With(QueueMode::kGreedy));
  NodeFacts node = MakeNode(0, 0, 0);
  node.maintenance = kMaintenanceUnread;
  world.Put(node);
  const JobSpec minute = RackGang("minute", 1, "1m");
  world.Come(minute);
  CHECK_FALSE(world.HasRoom(minute));
  CHECK(world.Of(minute).reason.find(
            "maintenance keeps it off 1 node: of some gangplan.io/maintenance is no time, expected "
            "one such as 2026-12-01T06:00Z, and the gang takes its room for 1m30s") !=
        std::string::npos);
  world.DeleteNode(node.name);
  world.Put(MakeNode(0, 0, 1));
  world.Some();
  CHECK(world.HasRoom(minute));
}

TEST_CASE("maintenance: only nodes that the gang could use are told") {
  TwoRacks world;
  NodeFacts cordoned = Until(MakeNode(0, 0, 1), world.begins);
  cordoned.unschedulable = true;
  world.Put(cordoned);
  world.Fill(1);
  const JobSpec waits = RackGang("waits", 1);
  world.Come(waits);
  CHECK(world.Of(waits).reason.find("maintenance keeps it off 1 node: it begins at ") !=
        std::string::npos);
}

TEST_CASE("maintenance: room is promised to the first in line where it has ended before") {
  TwoRacks world(QueueMode::kBackfill);
  // Both racks come free in time: the first one sooner, but the gang would run into maintenance.
  world.Foreign("soon", 8, NodeNameAt(0, 0, 0), 0, 1'800);
  world.Foreign("later", 8, NodeNameAt(0, 1, 0), 0, 3'600);
  const JobSpec waits = RackGang("waits", 2, "110m");
  world.Come(waits);
  REQUIRE_FALSE(world.HasRoom(waits));
  const GroupReport report = world.Of(waits);
  REQUIRE(report.expected_by);
  CHECK(report.reservation.find("room for 2 is kept in b0/r1 as it comes free: by ") == 0);
}

}  // namespace
}  // namespace gangplan::maintenance_test
