// queue.mode: backfill: room is kept for the first in line where it fits soonest, and others pass
// it as far as that does not delay it.
#include "extender/frontends/gangplan/runtime.h"
#include "extender/planner/limits.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan {
namespace {

JobSpec Gang(std::string_view name, int32_t size, std::string_view runtime = "",
             int32_t priority = 0) {
  JobSpec job{.name = std::string(name),
              .size = size,
              .gpus = 8,
              .place = "rack=pack!",
              .priority = priority};
  if (!runtime.empty()) SetWord(job.words, kRuntimeWord, runtime);
  return job;
}

// Two racks of two nodes. In each one node is taken, by "hour" and "day", which run so long; for
// "waits", which needs a whole rack, that of "hour" is free first.
struct Halves {
  PlannerWorld world;
  JobSpec hour = Gang("hour", 1, "1h");
  JobSpec day = Gang("day", 1, "24h");
  JobSpec waits = Gang("waits", 2);

  explicit Halves() : world(Options()) {
    world.AddNodes(MakeNodes(1, 2, 2));
    world.Sync();
    Run(hour);
    const JobSpec filler = Gang("filler", 1);
    Run(filler);  // beside it, as long as "day" looks for a node
    Run(day);
    End(filler);
    REQUIRE(RackOf(hour) != RackOf(day));
    Come(waits);
    REQUIRE_FALSE(HasRoom(waits));
  }
  static PlannerOptions Options() {
    PlannerOptions options = PlannerWorld::Options();
    options.queue_mode = QueueMode::kBackfill;
    return options;
  }
  void Come(const JobSpec& job) {
    world.ShowJob(job, 0, job.size);
    for (int i = 0; i < 3; ++i) world.Pass(absl::Milliseconds(50));
  }
  void Run(const JobSpec& job) {
    Come(job);
    for (int i = 0; i < job.size; ++i) world.FilterAndBind(JobPod(job, i));
    REQUIRE(world.BindAll() == job.size);
    for (int i = 0; i < 3; ++i) world.Pass(absl::Milliseconds(50));
  }
  void End(const JobSpec& job) {
    const std::vector<std::string> nodes = world.Nodes("team/" + job.name);
    for (int i = 0; i < job.size; ++i) {
      PodFacts pod = JobPod(job, i);
      pod.node_name = nodes[static_cast<size_t>(i)];
      world.Delete(pod);
    }
    for (int i = 0; i < 3; ++i) world.Pass(absl::Milliseconds(50));
  }
  bool HasRoom(const JobSpec& job) { return !world.Nodes("team/" + job.name).empty(); }
  std::string RackOf(const JobSpec& job) {
    const std::vector<std::string> nodes = world.Nodes("team/" + job.name);
    return nodes.empty() ? "" : DomainOf(nodes.front(), 1);
  }
  GroupReport Report(const JobSpec& job) { return world.Report("team/" + job.name); }
};

TEST_CASE("backfill: room is kept for the first where it fits soonest, and it is told when") {
  Halves racks;
  const int64_t by = absl::ToUnixSeconds(racks.world.now());
  const GroupReport report = racks.Report(racks.waits);
  CHECK(report.line_place == 1);
  CHECK(report.line_length == 1);
  REQUIRE(report.expected_by);
  CHECK(absl::ToUnixSeconds(*report.expected_by) >= by + 3'600 + 25);
  CHECK(absl::ToUnixSeconds(*report.expected_by) <= by + 3'600 + 30);
  CHECK(report.reservation.find("room for 2 is kept in b0/r0 as it comes free: by ") == 0);
  CHECK(report.reservation.find("at the latest, when gang team/hour has ended") !=
        std::string::npos);
  CHECK(racks.world.HoldCount() == 1);  // the free node beside it

  const JobSpec endless = Gang("endless", 1);
  racks.Come(endless);
  CHECK(racks.RackOf(endless) == racks.RackOf(racks.day));  // it delays nobody there
  const JobSpec next = Gang("next", 1);
  racks.Come(next);
  CHECK_FALSE(racks.HasRoom(next));  // what is left is kept
  CHECK(racks.Report(next).line_place == 2);
  CHECK(racks.Report(next).line_first == "team/waits");
  racks.End(racks.hour);
  CHECK(racks.world.Nodes("team/waits").size() == 2);
  CHECK(racks.RackOf(racks.waits) == "b0-r0");
  CHECK(racks.Report(next).line_place == 1);
}

TEST_CASE("backfill: what is gone in time may have the room that is kept") {
  Halves racks;
  const JobSpec endless = Gang("endless", 1);
  racks.Come(endless);
  SECTION("up to the time that it needs at the most") {
    // It may start as late as its room is held for it, and takes 30 s to stop.
    const JobSpec fits = Gang("fits", 1, "54m50s");
    racks.Come(fits);
    CHECK(racks.RackOf(fits) == "b0-r0");
  }
  SECTION("and not beyond") {
    const JobSpec late = Gang("late", 1, "55m10s");
    racks.Come(late);
    CHECK_FALSE(racks.HasRoom(late));
  }
  SECTION("it begins, and the first has its room when both have ended") {
    const JobSpec quick = Gang("quick", 1, "30m");
    racks.Run(quick);
    const GroupReport report = racks.Report(racks.waits);
    REQUIRE(report.expected_by);
    CHECK(*report.expected_by <= racks.world.now() + absl::Seconds(3'630));
    racks.End(racks.hour);
    CHECK_FALSE(racks.HasRoom(racks.waits));
    const JobSpec other = Gang("other", 1);
    racks.Come(other);
    CHECK_FALSE(racks.HasRoom(other));  // what "hour" has left is kept
    racks.End(quick);
    CHECK(racks.RackOf(racks.waits) == "b0-r0");
  }
}

TEST_CASE("backfill: where no end is known the place is kept for which the fewest have to go") {
  PlannerWorld world(Halves::Options());
  Halves racks;  // for its words only
  world.AddNodes(MakeNodes(1, 2, 3));
  world.Sync();
  const auto run = [&](const JobSpec& job) {
    world.ShowJob(job, 0, job.size);
    for (int i = 0; i < job.size; ++i) world.FilterAndBind(JobPod(job, i));
    REQUIRE(world.BindAll() == job.size);
  };
  const JobSpec two = Gang("two", 2);
  const JobSpec three = Gang("three", 3);
  run(two);
  run(three);
  const JobSpec waits = Gang("waits", 3);
  world.ShowJob(waits, 0, 3);
  for (int i = 0; i < 3; ++i) world.Pass(absl::Milliseconds(50));
  const GroupReport report = world.Report("team/waits");
  CHECK_FALSE(report.expected_by);
  CHECK(report.reservation ==
        "room for 3 is kept in b0/r0 as it comes free: when gang team/two has ended, and nobody "
        "has told when that is");
  const JobSpec small = Gang("small", 1, "1m");
  world.ShowJob(small, 0, 1);
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/small").empty());  // how long it may delay it nobody knows
  PodFacts pod = JobPod(two, 0);
  pod.node_name = world.Nodes("team/two").front();
  world.Delete(pod);
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/small").empty());
  pod = JobPod(two, 1);
  pod.node_name = world.Nodes("team/two").back();
  world.Delete(pod);
  world.Pass(absl::Seconds(1));
  CHECK(world.Nodes("team/waits").size() == 3);
}

TEST_CASE("backfill: what is kept is given back when the first one goes, or is another one") {
  Halves racks;
  REQUIRE(racks.world.HoldCount() == 1);
  SECTION("it goes") {
    racks.world.Delete(JobPod(racks.waits, 0));
    racks.world.Delete(JobPod(racks.waits, 1));
    racks.world.Pass(absl::Milliseconds(50));
    CHECK(racks.world.HoldCount() == 0);
  }
  SECTION("a greater one comes that fits there") {
    const JobSpec greater = Gang("greater", 1, "", 10);
    racks.Come(greater);
    CHECK(racks.HasRoom(greater));
    const JobSpec second = Gang("second", 1, "", 10);
    racks.Come(second);
    CHECK(racks.HasRoom(second));
    CHECK(racks.Report(racks.waits).line_place == 1);
  }
  SECTION("a node that is kept is lost") {
    const std::string node = racks.world.Nodes("team/hour").front();
    racks.world.DeleteNode(node == "b0-r0-n0" ? "b0-r0-n1" : "b0-r0-n0");
    for (int i = 0; i < 3; ++i) racks.world.Pass(absl::Milliseconds(50));
    CHECK(racks.Report(racks.waits).reservation.find("b0/r1") != std::string::npos);
  }
}

TEST_CASE("backfill: pods of no gang whose end is not known let nothing be kept, and others pass") {
  PlannerWorld world(Halves::Options());
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  PodFacts foreign = ForeignPod("foreign", 8);
  foreign.scheduler_name = "default-scheduler";
  world.ShowBound(foreign, "b0-r0-n0");
  const JobSpec waits = Gang("waits", 2);
  world.ShowJob(waits, 0, 2);
  for (int i = 0; i < 3; ++i) world.Pass(absl::Milliseconds(50));
  const std::string told = world.Report("team/waits").reservation;
  CHECK(told.find("no room can be kept for it: pods of no gang") == 0);
  const JobSpec small = Gang("small", 1);
  world.ShowJob(small, 0, 1);
  world.Pass(absl::Milliseconds(50));
  CHECK(world.Nodes("team/small").size() == 1);
}

TEST_CASE("backfill: a pod of no gang tells its end, too") {
  PlannerWorld world(Halves::Options());
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  PodFacts foreign = ForeignPod("foreign", 8);
  foreign.scheduler_name = "default-scheduler";
  foreign.run = {absl::ToUnixSeconds(world.now()) - 100, 1'000, 5};
  world.ShowBound(foreign, "b0-r0-n0");
  const JobSpec waits = Gang("waits", 2);
  world.ShowJob(waits, 0, 2);
  for (int i = 0; i < 3; ++i) world.Pass(absl::Milliseconds(50));
  const GroupReport report = world.Report("team/waits");
  REQUIRE(report.expected_by);
  CHECK(absl::ToUnixSeconds(*report.expected_by) == absl::ToUnixSeconds(world.now()) + 905);
  CHECK(report.reservation.find("when a pod of no gang has ended") != std::string::npos);
  // It does not end in time.
  world.Pass(absl::Seconds(906));
  world.Pass(absl::Seconds(1));
  CHECK_FALSE(world.Report("team/waits").expected_by);
}

}  // namespace
}  // namespace gangplan
