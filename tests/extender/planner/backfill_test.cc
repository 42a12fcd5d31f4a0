// queue.mode: backfill: room is kept for the first in line where it fits soonest, and others pass
// it as far as that does not delay it.
#include <numeric>

#include "tests/extender/planner/line_world.h"
#include "tests/support/catch.h"

namespace gangplan::backfill_test {
namespace {

TEST_CASE("backfill: room is kept for the first where it fits soonest, and it is told when") {
  Halves racks;
  const int64_t by = absl::ToUnixSeconds(racks.now());
  const GroupReport report = racks.Of(racks.waits);
  CHECK(report.line_place == 1);
  CHECK(report.line_length == 1);
  REQUIRE(report.expected_by);
  CHECK(absl::ToUnixSeconds(*report.expected_by) >= by + 3'600 + 25);
  CHECK(absl::ToUnixSeconds(*report.expected_by) <= by + 3'600 + 30);
  CHECK(report.reservation.find("room for 2 is kept in b0/r0 as it comes free: by ") == 0);
  CHECK(report.reservation.find("at the latest, when gang team/hour has ended") !=
        std::string::npos);
  CHECK(racks.HoldCount() == 1);  // the free node beside it

  const JobSpec endless = RackGang("endless", 1);
  racks.Come(endless);
  CHECK(racks.RackOf(endless) == racks.RackOf(racks.day));  // it delays nobody there
  const JobSpec next = RackGang("next", 1);
  racks.Come(next);
  CHECK_FALSE(racks.HasRoom(next));  // what is left is kept
  CHECK(racks.Of(next).line_place == 2);
  CHECK(racks.Of(next).line_first == "team/waits");
  racks.End(racks.hour);
  CHECK(racks.Nodes("team/waits").size() == 2);
  CHECK(racks.RackOf(racks.waits) == "b0-r0");
  CHECK(racks.Of(next).line_place == 1);
}

TEST_CASE("backfill: what is gone in time may have the room that is kept") {
  Halves racks;
  const JobSpec endless = RackGang("endless", 1);
  racks.Come(endless);
  SECTION("up to the time that it needs at the most") {
    // It may start as late as its room is held for it, and takes 30 s to stop.
    const JobSpec fits = RackGang("fits", 1, "54m50s");
    racks.Come(fits);
    CHECK(racks.RackOf(fits) == "b0-r0");
  }
  SECTION("and not beyond") {
    const JobSpec late = RackGang("late", 1, "55m10s");
    racks.Come(late);
    CHECK_FALSE(racks.HasRoom(late));
  }
  SECTION("it begins, and the first has its room when both have ended") {
    const JobSpec quick = RackGang("quick", 1, "30m");
    racks.Start(quick);
    const GroupReport report = racks.Of(racks.waits);
    REQUIRE(report.expected_by);
    CHECK(*report.expected_by <= racks.now() + absl::Seconds(3'630));
    racks.End(racks.hour);
    CHECK_FALSE(racks.HasRoom(racks.waits));
    const JobSpec other = RackGang("other", 1);
    racks.Come(other);
    CHECK_FALSE(racks.HasRoom(other));  // what "hour" has left is kept
    racks.End(quick);
    CHECK(racks.RackOf(racks.waits) == "b0-r0");
  }
}

TEST_CASE("backfill: where no end is known the place is kept for which the fewest have to go") {
  LineWorld world(MakeNodes(1, 2, 3));
  const JobSpec two = RackGang("two", 2);
  const JobSpec three = RackGang("three", 3);
  world.Start(two);
  world.Start(three);
  const JobSpec waits = RackGang("waits", 3);
  world.Come(waits);
  const GroupReport report = world.Report("team/waits");
  CHECK_FALSE(report.expected_by);
  CHECK(report.reservation ==
        "room for 3 is kept in b0/r0 as it comes free: when gang team/two has ended, and nobody "
        "has told when that is");
  const JobSpec small = RackGang("small", 1, "1m");
  world.ShowJob(small, 0, 1);
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/small").empty());  // how long it may delay it nobody knows
  const PodFacts last = world.BoundPod(two, 1);
  world.Delete(world.BoundPod(two, 0));
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/small").empty());
  world.Delete(last);
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/waits").size() == 3);
}

TEST_CASE("backfill: who leaves the room is told by name within the namespace alone") {
  LineWorld world(MakeNodes(1, 1, 2));
  PodFacts pod = ForeignPod("falcon", 8);
  pod.ns = "mergers";
  SetWord(pod.annotations, "gangplan.io/group", "falcon");
  SetWord(pod.annotations, "gangplan.io/size", "1");
  SetWord(pod.annotations, kRuntimeWord, "1h");
  world.ShowBound(pod, "b0-r0-n0");
  const JobSpec waits = RackGang("waits", 2);
  world.Come(waits);
  const std::string told = world.Report("team/waits").reservation;
  CHECK(told.find("when a gang of another namespace has ended") != std::string::npos);
  CHECK(told.find("falcon") == std::string::npos);
}

TEST_CASE("backfill: what is kept is given back when the first one goes, or is another one") {
  Halves racks;
  REQUIRE(racks.HoldCount() == 1);
  SECTION("it goes") {
    racks.Delete(JobPod(racks.waits, 0));
    racks.Delete(JobPod(racks.waits, 1));
    racks.Pass(absl::Milliseconds(50));
    CHECK(racks.HoldCount() == 0);
  }
  SECTION("a greater one comes that fits there") {
    const JobSpec greater = RackGang("greater", 1, "", 10);
    racks.Come(greater);
    CHECK(racks.HasRoom(greater));
    const JobSpec second = RackGang("second", 1, "", 10);
    racks.Come(second);
    CHECK(racks.HasRoom(second));
    CHECK(racks.Of(racks.waits).line_place == 1);
  }
  SECTION("a node that is kept is lost") {
    const std::string node = racks.Nodes("team/hour").front();
    racks.DeleteNode(node == "b0-r0-n0" ? "b0-r0-n1" : "b0-r0-n0");
    racks.Some();
    CHECK(racks.Of(racks.waits).reservation.find("b0/r1") != std::string::npos);
  }
}

TEST_CASE("backfill: pods of no gang whose end is not known let nothing be kept, and others pass") {
  LineWorld world(MakeNodes(1, 1, 2));
  world.Foreign("foreign", 8, "b0-r0-n0");
  const JobSpec waits = RackGang("waits", 2);
  world.Come(waits);
  const std::string told = world.Report("team/waits").reservation;
  CHECK(told.find("no room can be kept for it: pods of no gang") == 0);
  const JobSpec small = RackGang("small", 1);
  world.ShowJob(small, 0, 1);
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Nodes("team/small").size() == 1);
}

TEST_CASE("backfill: a pod of no gang tells its end, too") {
  LineWorld world(MakeNodes(1, 1, 2));
  world.Foreign("foreign", 8, "b0-r0-n0", 100, 1'000);
  const JobSpec waits = RackGang("waits", 2);
  world.Come(waits);
  const GroupReport report = world.Report("team/waits");
  REQUIRE(report.expected_by);
  CHECK(absl::ToUnixSeconds(*report.expected_by) == absl::ToUnixSeconds(world.now()) + 905);
  CHECK(report.reservation.find("when a pod of no gang has ended") != std::string::npos);
  // It does not end in time.
  world.Pass(absl::Seconds(906));
  world.Pass(absl::Seconds(1));
  CHECK_FALSE(world.Report("team/waits").expected_by);
}

TEST_CASE("backfill: what a gang keeps for what it may lose is free when it has ended") {
  LineWorld world(MakeNodes(1, 1, 4));
  JobSpec hour = RackGang("hour", 2, "1h");
  SetWord(hour.words, "gangplan.io/spares", "1");
  world.Start(hour);
  world.Pass(absl::Seconds(1));
  REQUIRE(world.HoldCount() == 1);
  const JobSpec all = RackGang("all", 4);
  world.Come(all);
  for (int i = 0; i < 3; ++i) world.Pass(absl::Seconds(1));
  REQUIRE(world.Of(all).expected_by);
  CHECK(*world.Of(all).expected_by <= world.now() + absl::Seconds(3'700));
  const JobSpec endless = RackGang("endless", 1);
  world.Come(endless);
  CHECK_FALSE(world.HasRoom(endless));
  world.End(hour);
  for (int i = 0; i < 3; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.HasRoom(all));
}

// Three racks of three nodes: "long" and a pod without an end have the first one, it keeps a node
// of the second, and other such pods leave one of the third.
struct Spared : LineWorld {
  JobSpec runs = RackGang("long", 2, "1h");
  JobSpec trio = RackGang("trio", 3);

  Spared() : LineWorld(MakeNodes(1, 3, 3)) {
    for (const char* node : {"b0-r0-n2", "b0-r2-n0", "b0-r2-n1"}) Foreign(node, 8, node);
    const PodFacts filler = Foreign("filler", 8, "b0-r2-n2");
    runs.place = "node=pack";
    SetWord(runs.words, "gangplan.io/spares", "1");
    Start(runs);
    Pass(absl::Seconds(1));
    REQUIRE(Of(runs).spares == "1 of 1 spare nodes are kept: b0/r1/b0-r1-n0");
    Delete(filler);
    Come(trio);
  }
};

TEST_CASE("backfill: a place that lacks what others keep for what they may lose alone is kept") {
  Spared world;
  for (int i = 0; i < 10; ++i) {
    REQUIRE(world.Of(world.trio).expected_by);
    CHECK(*world.Of(world.trio).expected_by <= world.now() + absl::Seconds(3'700));
    CHECK(world.Of(world.trio).reservation.find("when gang team/long has ended") !=
          std::string::npos);
    world.Pass(absl::Seconds(1));
  }
  // Nothing is asked meanwhile, and others pass.
  const auto asked = [&] {
    const PlannerStats stats = world.planner().Stats();
    return std::accumulate(std::begin(stats.solves), std::end(stats.solves), int64_t{0});
  };
  const int64_t before = asked();
  for (int i = 0; i < 3; ++i) world.Pass(absl::Seconds(1));
  CHECK(asked() == before);
  const JobSpec small = RackGang("small", 1);
  world.Come(small);
  CHECK(world.At(small) == std::vector<std::string>{"b0-r2-n2"});
  const JobSpec more = RackGang("more", 1);
  world.Come(more);
  CHECK_FALSE(world.HasRoom(more));
  world.End(world.runs);
  for (int i = 0; i < 3; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.RackOf(world.trio) == "b0-r1");
}

// The gang loses a node, and has its member placed anew where it kept one.
TEST_CASE("backfill: what goes to a lost member is found anew before anybody else passes") {
  Spared world;
  REQUIRE(world.Of(world.trio).expected_by);
  const JobSpec more = RackGang("more", 1);
  world.Foreign("last", 8, "b0-r2-n2");
  world.Come(more);
  world.Delete(world.BoundPod(world.runs, 1));
  world.Foreign("late", 8, "b0-r0-n1");
  world.Show(JobPod(world.runs, 1, 1));
  world.Some();
  CHECK(world.At(world.runs) == std::vector<std::string>{"b0-r0-n0", "b0-r1-n0"});
  CHECK_FALSE(world.HasRoom(more));
  CHECK(world.Of(world.trio).line_place == 1);
}

}  // namespace
}  // namespace gangplan::backfill_test
