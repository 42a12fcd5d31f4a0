// What queue.mode promises, tried where it is hard: room that comes and goes under what is kept for
// the first in line, and gangs that may pass and are not asked.
#include <set>

#include "extender/planner/limits.h"
#include "tests/extender/planner/line_world.h"
#include "tests/extender/planner/suspended_world.h"
#include "tests/support/catch.h"

namespace gangplan::line_life_test {
namespace {

TEST_CASE("in line: what a gang that was let in gives back goes to nobody behind the first") {
  Halves world;
  world.Fill();
  const JobSpec quick = RackGang("quick", 1, "30m");
  world.Come(quick);
  REQUIRE(world.HasRoom(quick));  // the scheduler never binds it
  const JobSpec endless = RackGang("endless", 1);
  world.Come(endless);
  REQUIRE_FALSE(world.HasRoom(endless));
  const JobSpec tiny = RackGang("tiny", 2, "", 0, 1);
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
  Halves world(With(GENERATE(QueueMode::kStrict, QueueMode::kBackfill)));
  JobSpec runs = RackGang("runs", 2, "", 0, 4);
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
  INFO(static_cast<int>(mode));
  SuspendedWorld world(With(mode));
  for (const char* node : {"b0-r0-n0", "b0-r1-n0"}) {
    PodFacts pod = ForeignPod(node, 8);
    pod.scheduler_name = "default-scheduler";
    pod.run = {absl::ToUnixSeconds(world.now()), node[4] == '0' ? 3'600 : 7'200, 5};
    world.ShowBound(pod, node);
  }
  world.See(RackGang("waits", 2));
  world.See(RackGang("small", 1));
  JobWrite write;
  CHECK(world.SecondsToWrite(60, write) >= 0);
  CHECK(write.job.name == "small");
}

TEST_CASE("in line: a pod too many with other words lets the first one stand or leave") {
  Halves world;
  JobSpec odd = world.waits;
  odd.place = "block=pack!";
  world.Show(JobPod(odd, 2));  // the invariants are checked
}

TEST_CASE("in line: what pods that end in time leave is kept beside one that is overdue") {
  LineWorld world(MakeNodes(1, 1, 2));
  world.Foreign("overdue", 4, "b0-r0-n0", 2'000, 1'000);
  const PodFacts ends = world.Foreign("ends", 4, "b0-r0-n0", 100, 1'000);
  world.Foreign("stays", 4, "b0-r0-n1");
  const JobSpec waits = RackGang("waits", 2, "", 0, 4);
  world.Come(waits);
  REQUIRE(world.Of(waits).expected_by);
  const JobSpec small = RackGang("small", 1, "", 0, 4);
  world.Come(small);
  REQUIRE_FALSE(world.HasRoom(small));
  world.Delete(ends);
  world.Some();
  CHECK_FALSE(world.HasRoom(small));
  CHECK(world.HasRoom(waits));
}

TEST_CASE("in line: no room is promised on a node that is gone, or lets nobody in") {
  Halves world;
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
  const JobSpec mixed = RackGang("mixed", 2);
  world.Register(mixed);
  PodFacts first = JobPod(mixed, 0);
  SetWord(first.annotations, kRuntimeWord, "1h");
  world.Show(first);
  world.Show(JobPod(mixed, 1));
  world.FilterAndBind(first);
  world.FilterAndBind(JobPod(mixed, 1));
  REQUIRE(world.BindAll() == 2);
  const JobSpec waits = RackGang("waits", 2);
  world.Come(waits);
  const std::string told = world.Of(waits).reservation;
  INFO(told);
  CHECK(told.find("room for 2 is kept in b0/r0") == 0);
  first.node_name = world.At(mixed)[0];
  world.ShowFinished(first, first.node_name);
  world.Some();
  const JobSpec small = RackGang("small", 1);
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
  const JobSpec lesser = RackGang("lesser", 1, "1h");
  world.Start(lesser);
  JobSpec high = RackGang("high", 2);
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

// The budget that kept it is gone later.
TEST_CASE("in line: the first one makes a gang give way whose pods it awaits already") {
  PlannerOptions options = With(QueueMode::kBackfill);
  options.preempts = true;
  options.suspended_jobs = false;
  LineWorld world(MakeNodes(1, 1, 2), options);
  const JobSpec lesser = RackGang("lesser", 2, "", 1);
  world.Start(lesser);
  const JobSpec high = RackGang("high", 2, "", 100);
  world.Come(high);
  std::set<std::string> evicted;
  const auto pass = [&](absl::Duration time, const absl::Status& answer) {
    for (const absl::Time end = world.now() + time; world.now() < end;) {
      world.Pass(absl::Seconds(5));
      for (const PodMark& one : world.Take<PodMark>())
        world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, answer);
      for (const PodDelete& one : world.Take<PodDelete>()) {
        if (one.how != PodDelete::How::kTry) evicted.insert(one.pod.name);
        world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, answer);
      }
    }
  };
  pass(absl::Minutes(1), absl::FailedPreconditionError("budget team/lesser"));
  REQUIRE(world.Of(high).reservation.starts_with("room for 2 is kept in b0/r0"));
  pass(kSparedFor + absl::Minutes(1), absl::OkStatus());
  INFO(world.Of(high).reason);
  CHECK(evicted.contains("lesser-1-0"));
}

// The first in line, which makes nobody go itself, waits until "least" ends.
struct FirstAwaits : LineWorld {
  JobSpec first = RackGang("first", 2, "", 60);

  static PlannerOptions Options(bool pods) {
    PlannerOptions options = With(QueueMode::kBackfill);
    options.preempts = true;
    options.preempts_pods = pods;
    options.suspended_jobs = false;
    return options;
  }
  explicit FirstAwaits(int racks, bool pods = false)
      : LineWorld(MakeNodes(1, racks, 2), Options(pods)) {
    Start(RackGang("least", 2, "1h", 1));
  }
  void ComeFirst() {
    Register(first);
    for (int i = 0; i < 2; ++i) {
      PodFacts pod = JobPod(first, i);
      pod.never_preempts = true;
      Show(pod);
    }
    Some();
    REQUIRE(Of(first).expected_by);
  }
  void DeleteFirst() {
    for (int i = 0; i < 2; ++i) Delete(JobPod(first, i));
  }
  // Who is asked about meanwhile.
  std::set<std::string> Asked(int seconds) {
    std::set<std::string> asked;
    for (int i = 0; i < seconds; ++i) {
      Pass(absl::Seconds(1));
      for (const PodDelete& one : Take<PodDelete>()) asked.insert(one.pod.name);
    }
    return asked;
  }
};

const std::set<std::string> kLeast = {"least-0-0", "least-1-0"};

TEST_CASE("in line: who stands behind the first asks others to go than those that it awaits") {
  FirstAwaits world(2);
  world.Start(RackGang("other", 2, "", 5));
  world.ComeFirst();
  world.Come(RackGang("second", 2, "", 50));
  CHECK(world.Asked(20) == std::set<std::string>{"other-0-0", "other-1-0"});
}

TEST_CASE("in line: who comes before the first asks those to go that it awaited") {
  const bool others = GENERATE(false, true);
  FirstAwaits world(others ? 2 : 1);
  if (others) world.Start(RackGang("other", 2, "", 5));
  world.ComeFirst();
  world.Come(RackGang("greater", 2, "", 100));
  CHECK(world.Asked(5) == kLeast);
}

TEST_CASE("in line: what is promised to one that makes others go is awaited by no other") {
  FirstAwaits world(2);
  world.Start(RackGang("other", 2, "2h", 50));
  world.Come(RackGang("second", 2, "", 55));
  REQUIRE(world.Asked(1) == kLeast);  // and nobody answers
  world.ComeFirst();
  CHECK(world.Of(world.first).reservation.find("b0/r1") != std::string::npos);
}

TEST_CASE("in line: who could ask those alone that the first awaits asks when that is over") {
  const bool others = GENERATE(false, true);  // who could go, and are of no use
  FirstAwaits world(1, others);
  if (others) world.Foreign("small", 0, "b0-r0-n0");
  world.ComeFirst();
  world.Come(RackGang("second", 2, "", 50));
  CHECK(world.Asked(20).empty());
  world.DeleteFirst();
  const absl::Duration within = others ? kSparedFor : absl::Minutes(2);
  CHECK(world.Asked(static_cast<int>(absl::ToInt64Seconds(within))) == kLeast);
}

TEST_CASE("in line: who could ask those pods alone that the first awaits asks when that is over") {
  const bool others = GENERATE(false, true);
  FirstAwaits world(1, true);
  world.End(RackGang("least", 2, "1h", 1));
  if (others) world.Foreign("small", 0, "b0-r0-n0");
  for (const char* node : {"b0-r0-n0", "b0-r0-n1"}) world.Foreign(node, 8, node, 0, 3600);
  world.ComeFirst();
  world.Come(RackGang("second", 2, "", 50));
  CHECK(world.Asked(20).empty());
  world.DeleteFirst();
  const absl::Duration within = others ? kSparedFor : absl::Minutes(2);
  CHECK(world.Asked(static_cast<int>(absl::ToInt64Seconds(within))) ==
        std::set<std::string>{"b0-r0-n0"});  // and then the other one
}

// It stood behind another one when the node went, and was not asked then.
TEST_CASE("in line: who can never stand since a node went is told so when its turn comes") {
  LineWorld world(MakeNodes(1, 1, 3), With(QueueMode::kStrict));
  const JobSpec wide = RackGang("wide", 3), urgent = RackGang("urgent", 3, "", 10);
  world.Foreign("other", 8, "b0-r0-n0");
  world.Come(wide);
  REQUIRE(world.Of(wide).outcome == Outcome::kWait);
  world.Come(urgent);
  REQUIRE(world.Of(wide).line_place == 2);
  world.DeleteNode("b0-r0-n2");
  world.Some();
  CHECK(world.Of(urgent).outcome == Outcome::kImpossible);
  CHECK(world.Of(wide).outcome == Outcome::kImpossible);
}

TEST_CASE("in line: who can never stand since a node shrank is told so") {
  LineWorld world(MakeNodes(1, 1, 2));
  const JobSpec wide = RackGang("wide", 2);
  const PodFacts other = world.Foreign("other", 8, "b0-r0-n0");
  world.Come(wide);
  REQUIRE(world.Of(wide).outcome == Outcome::kWait);
  NodeFacts node = MakeNode(0, 0, 1, 4);
  if (GENERATE(true, false)) {
    node = MakeNode(0, 0, 1);
    node.taints.push_back({"example.com/broken", "", TaintEffect::kNoSchedule});
  }
  world.Put(node);
  world.Some();
  CHECK(world.Of(wide).outcome == Outcome::kImpossible);
}

TEST_CASE("in line: who ends last is told with the time") {
  LineWorld world(MakeNodes(1, 1, 2));
  const JobSpec hour = RackGang("hour", 1, "1h");
  world.Start(hour);
  world.Foreign("foreign", 8, world.At(hour)[0] == "b0-r0-n0" ? "b0-r0-n1" : "b0-r0-n0", 0, 7'200);
  const JobSpec waits = RackGang("waits", 2);
  world.Come(waits);
  const std::string told = world.Of(waits).reservation;
  INFO(told);
  CHECK(told.find("when a pod of no gang, gang team/hour have ended") != std::string::npos);
}

TEST_CASE("in line: a gang of which one pod has told no end is not let in") {
  Halves world;
  world.Fill();
  const JobSpec mixed = RackGang("mixed", 2, "", 0, 4);
  world.Register(mixed);
  PodFacts first = JobPod(mixed, 0);
  SetWord(first.annotations, kRuntimeWord, "30m");
  world.Show(first);
  world.Show(JobPod(mixed, 1));
  world.Some();
  CHECK_FALSE(world.HasRoom(mixed));
}

TEST_CASE("in line: the watch may be behind a Binding that is written") {
  LineWorld world(MakeNodes(1, 1, 2));
  const JobSpec hour = RackGang("hour", 1, "1h");
  world.Come(hour);
  world.FilterAndBind(JobPod(hour, 0));
  for (const BindingWrite& post : world.Take<BindingWrite>())
    world.Settle(post, BindOutcome::kBound);
  SECTION("it says nothing yet") {}
  SECTION("it shows the pod as it was before") { world.Show(JobPod(hour, 0)); }
  const absl::Time by = world.now() + absl::Seconds(3'631);
  const JobSpec waits = RackGang("waits", 2);
  world.Come(waits);
  INFO(world.Of(waits).reservation);
  REQUIRE(world.Of(waits).expected_by);
  CHECK(*world.Of(waits).expected_by <= by);
  world.Pass(absl::Seconds(10));
  world.ShowBound(JobPod(hour, 0), world.At(hour)[0]);
  world.Pass(absl::Minutes(11));  // it is found anew
  world.Some();
  REQUIRE(world.Of(waits).expected_by);
  CHECK(*world.Of(waits).expected_by <= by);
}

}  // namespace
}  // namespace gangplan::line_life_test
