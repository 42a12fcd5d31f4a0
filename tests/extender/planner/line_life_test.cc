// What queue.mode promises, tried where it is hard: room that comes and goes under what is kept for
// the first in line, and gangs that may pass and are not asked.
#include "extender/frontends/gangplan/runtime.h"
#include "tests/extender/planner/suspended_world.h"
#include "tests/support/catch.h"

namespace gangplan {
namespace {

JobSpec Runs(std::string_view name, int32_t size, std::string_view runtime = "", int64_t gpus = 8) {
  JobSpec job{.name = std::string(name), .size = size, .gpus = gpus, .place = "rack=pack!"};
  if (!runtime.empty()) SetWord(job.words, kRuntimeWord, runtime);
  return job;
}

PlannerOptions With(QueueMode mode) {
  PlannerOptions options = PlannerWorld::Options();
  options.queue_mode = mode;
  return options;
}

struct LineWorld : PlannerWorld {
  explicit LineWorld(const std::vector<NodeFacts>& nodes,
                     PlannerOptions options = With(QueueMode::kBackfill))
      : PlannerWorld(std::move(options)) {
    AddNodes(nodes);
    Sync();
  }
  void Some() {
    for (int i = 0; i < 3; ++i) Pass(absl::Milliseconds(50));
  }
  void Come(const JobSpec& job) {
    ShowJob(job, 0, job.size);
    Some();
  }
  void Start(const JobSpec& job) {
    Come(job);
    for (int i = 0; i < job.size; ++i) FilterAndBind(JobPod(job, i));
    REQUIRE(BindAll() == job.size);
    Some();
  }
  PodFacts BoundPod(const JobSpec& job, int index) {
    PodFacts pod = JobPod(job, index);
    pod.node_name = At(job)[static_cast<size_t>(index)];
    return pod;
  }
  void End(const JobSpec& job) {
    const std::vector<std::string> nodes = At(job);
    for (int i = 0; i < job.size; ++i) {
      PodFacts pod = JobPod(job, i);
      pod.node_name = nodes[static_cast<size_t>(i)];
      Delete(pod);
    }
    Some();
  }
  std::vector<std::string> At(const JobSpec& job) { return Nodes("team/" + job.name); }
  bool HasRoom(const JobSpec& job) { return !At(job).empty(); }
  GroupReport Of(const JobSpec& job) { return Report("team/" + job.name); }
  PodFacts Foreign(std::string_view name, int64_t gpus, std::string_view node, int64_t since = 0,
                   int64_t seconds = 0) {
    PodFacts pod = ForeignPod(name, gpus);
    pod.scheduler_name = "default-scheduler";
    if (seconds > 0) pod.run = {absl::ToUnixSeconds(now()) - since, seconds, 5};
    ShowBound(pod, node);
    pod.node_name = std::string(node);
    return pod;
  }
};

// As in the tests of backfill: "hour" and "day" have a node of a rack each, "waits" needs a rack.
struct Kept : LineWorld {
  JobSpec hour = Runs("hour", 1, "1h");
  JobSpec day = Runs("day", 1, "24h");
  JobSpec waits = Runs("waits", 2);
  JobSpec full = Runs("full", 1);

  explicit Kept(PlannerOptions options = With(QueueMode::kBackfill))
      : LineWorld(MakeNodes(1, 2, 2), std::move(options)) {
    Start(hour);
    const JobSpec filler = Runs("filler", 1);
    Start(filler);
    Start(day);
    End(filler);
    Come(waits);
    REQUIRE_FALSE(HasRoom(waits));
  }
  // All is taken but what is kept.
  void Fill() {
    Start(full);
    REQUIRE(DomainOf(At(full).front(), 1) == "b0-r1");
  }
};

TEST_CASE("in line: what a gang that was let in gives back goes to nobody behind the first") {
  Kept world;
  world.Fill();
  const JobSpec quick = Runs("quick", 1, "30m");
  world.Come(quick);
  REQUIRE(world.HasRoom(quick));  // the scheduler never binds it
  const JobSpec endless = Runs("endless", 1);
  world.Come(endless);
  REQUIRE_FALSE(world.HasRoom(endless));
  const JobSpec tiny = Runs("tiny", 2, "", 1);
  world.Come(tiny);
  REQUIRE_FALSE(world.HasRoom(tiny));
  // What comes free here is of no use to anybody, but the first one is asked about it.
  world.Pass(absl::Seconds(297));
  world.Put(MakeNode(0, 2, 0, 1));
  world.Put(MakeNode(0, 3, 0, 1));
  world.Pass(absl::Seconds(6));
  world.Some();
  CHECK_FALSE(world.HasRoom(quick));
  CHECK_FALSE(world.HasRoom(endless));
  CHECK(world.Of(world.waits).expected_by.has_value());
  world.End(world.hour);
  CHECK(world.HasRoom(world.waits));
}

TEST_CASE("in line: a gang that runs has its lost member placed anew, whoever waits") {
  Kept world(With(GENERATE(QueueMode::kStrict, QueueMode::kBackfill)));
  JobSpec runs = Runs("runs", 2, "", 4);
  runs.place = "block=pack!";
  runs.priority = 5;
  world.Start(runs);
  PodFacts lost = world.BoundPod(runs, 1);
  world.Delete(lost);
  world.Foreign("other", 4, lost.node_name);
  // Only beside "hour" there is room.
  world.Show(JobPod(runs, 1, 1));
  world.Some();
  REQUIRE(world.At(runs).size() == 2);
  CHECK(world.At(runs)[1] != "-");
}

TEST_CASE("in line: Jobs that wait suspended pass also while no scheduler asks") {
  const QueueMode mode = GENERATE(QueueMode::kGreedy, QueueMode::kBackfill);
  const bool active = GENERATE(true, false);
  INFO(static_cast<int>(mode) << " active " << active);
  SuspendedWorld world(With(mode));
  for (const char* node : {"b0-r0-n0", "b0-r1-n0"}) {
    PodFacts pod = ForeignPod(node, 8);
    pod.scheduler_name = "default-scheduler";
    pod.run = {absl::ToUnixSeconds(world.now()), node[4] == '0' ? 3'600 : 7'200, 5};
    world.ShowBound(pod, node);
  }
  world.planner().SetActive(world.now(), active);
  world.See(Runs("waits", 2));
  world.See(Runs("small", 1));
  JobWrite write;
  CHECK(world.SecondsToWrite(60, write) >= 0);
  CHECK(write.job.name == "small");
}

TEST_CASE("in line: a pod too many with other words lets the first one stand or leave") {
  Kept world;
  JobSpec odd = world.waits;
  odd.place = "block=pack!";
  world.Show(JobPod(odd, 2));  // the invariants are checked
}

TEST_CASE("in line: what pods that end in time leave is kept beside one that is overdue") {
  LineWorld world(MakeNodes(1, 1, 2));
  world.Foreign("overdue", 4, "b0-r0-n0", 2'000, 1'000);
  const PodFacts ends = world.Foreign("ends", 4, "b0-r0-n0", 100, 1'000);
  world.Foreign("stays", 4, "b0-r0-n1");
  const JobSpec waits = Runs("waits", 2, "", 4);
  world.Come(waits);
  REQUIRE(world.Of(waits).expected_by);
  const JobSpec small = Runs("small", 1, "", 4);
  world.Come(small);
  REQUIRE_FALSE(world.HasRoom(small));
  world.Delete(ends);
  world.Some();
  CHECK_FALSE(world.HasRoom(small));
  CHECK(world.HasRoom(waits));
}

TEST_CASE("in line: no room is promised on a node that is gone, or lets nobody in") {
  Kept world;
  const PodFacts hour = world.BoundPod(world.hour, 0);
  SECTION("it is gone") {
    world.DeleteNode(hour.node_name);
    world.Delete(hour);
  }
  SECTION("it is cordoned, and empty") {
    NodeFacts node = MakeNode(0, 0, hour.node_name.back() - '0');
    node.unschedulable = true;
    world.Put(node);
    world.Delete(hour);
  }
  SECTION("it is cordoned") {
    NodeFacts node = MakeNode(0, 0, hour.node_name.back() - '0');
    node.unschedulable = true;
    world.Put(node);
  }
  SECTION("it is gone, and its pods not yet") { world.DeleteNode(hour.node_name); }
  for (int i = 0; i < 5; ++i) world.Pass(absl::Seconds(10));
  CHECK(world.Of(world.waits).reservation.find("b0/r0") == std::string::npos);
}

TEST_CASE("in line: room is kept behind a gang of which the end of some pods is known") {
  LineWorld world(MakeNodes(1, 1, 2));
  const JobSpec mixed = Runs("mixed", 2);
  world.Register(mixed);
  PodFacts first = JobPod(mixed, 0);
  SetWord(first.annotations, kRuntimeWord, "1h");
  world.Show(first);
  world.Show(JobPod(mixed, 1));
  world.FilterAndBind(first);
  world.FilterAndBind(JobPod(mixed, 1));
  REQUIRE(world.BindAll() == 2);
  const JobSpec waits = Runs("waits", 2);
  world.Come(waits);
  const std::string told = world.Of(waits).reservation;
  INFO(told);
  CHECK(told.find("room for 2 is kept in b0/r0") == 0);
  first.node_name = world.At(mixed)[0];
  world.ShowFinished(first, first.node_name);
  world.Some();
  const JobSpec small = Runs("small", 1);
  world.Come(small);
  CHECK_FALSE(world.HasRoom(small));
}

TEST_CASE("in line: the first one makes lesser gangs give way beside what is kept for it") {
  const QueueMode mode = GENERATE(QueueMode::kGreedy, QueueMode::kBackfill);
  INFO(static_cast<int>(mode));
  PlannerOptions options = With(mode);
  options.preempts = true;
  options.suspended_jobs = false;
  LineWorld world({MakeNode(0, 0, 0), MakeNode(0, 0, 1), MakeNode(0, 1, 0)}, options);
  const PodFacts aside = world.Foreign("aside", 8, "b0-r1-n0");
  const JobSpec lesser = Runs("lesser", 1, "1h");
  world.Start(lesser);
  JobSpec high = Runs("high", 2);
  high.priority = 100;
  world.Come(high);
  INFO(world.Of(high).reservation);
  size_t asked = world.Take<PodDelete>().size();
  if (!GENERATE(true, false)) world.Delete(aside);  // something comes free
  for (int i = 0; i < 20; ++i) {
    world.Pass(absl::Minutes(1));
    asked += world.Take<PodDelete>().size();
  }
  INFO(world.Of(high).reason);
  CHECK(asked > 0);
}

TEST_CASE("in line: who ends last is told with the time") {
  LineWorld world(MakeNodes(1, 1, 2));
  const JobSpec hour = Runs("hour", 1, "1h");
  world.Start(hour);
  world.Foreign("foreign", 8, world.At(hour)[0] == "b0-r0-n0" ? "b0-r0-n1" : "b0-r0-n0", 0, 7'200);
  const JobSpec waits = Runs("waits", 2);
  world.Come(waits);
  const std::string told = world.Of(waits).reservation;
  INFO(told);
  CHECK(told.find("when a pod of no gang, gang team/hour have ended") != std::string::npos);
}

TEST_CASE("in line: a gang of which one pod has told no end is not let in") {
  Kept world;
  world.Fill();
  const JobSpec mixed = Runs("mixed", 2, "", 4);
  world.Register(mixed);
  PodFacts first = JobPod(mixed, 0);
  SetWord(first.annotations, kRuntimeWord, "30m");
  world.Show(first);
  world.Show(JobPod(mixed, 1));
  world.Some();
  CHECK_FALSE(world.HasRoom(mixed));
}

}  // namespace
}  // namespace gangplan
