// Gangs of which not all pods are ready in time: gang.readyTimeout, repair.readyTimeout.
#include "extender/planner/ready_times.h"

#include <algorithm>

#include "extender/planner/limits.h"
#include "extender/planner/owner_key.h"
#include "tests/extender/planner/ready_world.h"
#include "tests/extender/planner/suspended_world.h"

namespace gangplan::ready_times_test {
namespace {

TEST_CASE("ready times: who is not ready in time after its start is evicted, told, and rests") {
  ReadyWorld world;
  world.Say(0, true);
  world.Say(1, true);
  world.Wait(kStart - absl::Seconds(2));
  CHECK(world.AnswerAll().empty());
  world.ForgetEffects();
  CHECK(world.Evicted(kReadyLook + absl::Seconds(2)).size() == 3);
  CHECK(world.Told() ==
        Names{"gang team/train of 3: 1 of its pods was not ready within 10m of its start "
              "(gang.readyTimeout): all of it is evicted, to start anew after a while; not ready: "
              "train-2-0 on " +
              world.nodes[2]});
  world.Anew();
  world.Wait(absl::Seconds(2));
  CHECK(world.Refusal(world.Pod(0))
            .starts_with("gang team/train was evicted, since not all of its pods were ready in "
                         "time (1 time): it is "
                         "planned again at 19"));
  JobSpec other = kTrain;
  other.name = "other";
  for (const char* name : {"one", "two"}) {  // both racks are free meanwhile
    other.name = name;
    world.RunJob(other);
  }
  CHECK(world.Nodes("team/train").empty());
}

TEST_CASE("ready times: the rest is a minute, and twice as long the next time") {
  ReadyWorld world;
  const auto rests = [&] {
    REQUIRE(world.Evicted(kStart + 2 * kReadyLook).size() == 3);
    world.Anew();
    int seconds = 0;
    for (; world.Passed(world.Pod(0)).empty() && seconds < 1'000; ++seconds)
      world.Wait(absl::Seconds(1));
    world.Start();
    return seconds;
  };
  CHECK(std::abs(rests() - 60) <= 2);
  CHECK(std::abs(rests() - 120) <= 2);
  CHECK(std::abs(rests() - 240) <= 2);
  world.AllReady();  // once: what was is forgotten
  world.Say(1, false);
  CHECK(std::abs(rests() - 60) <= 2);
}

TEST_CASE("ready times: likewise where that takes longer than what was is remembered") {
  const bool waits = GENERATE(false, true);  // for room, before it starts
  ReadyWorld world(Readying(waits ? kStart : absl::Hours(3)));
  for (int time = 0; time < 3; ++time) {
    world.ForgetEffects();
    REQUIRE(world.Evicted(absl::Hours(3) + 2 * kReadyLook).size() == 3);
    world.Anew();
    world.Wait(absl::Seconds(2));
    const std::string told = time == 0 ? "(1 time)" : fmt::format("({} times in a row)", time + 1);
    CHECK(world.Refusal(world.Pod(0)).find(told) != std::string::npos);
    const std::vector<NodeFacts> nodes = MakeNodes(1, 2, 3);
    for (NodeFacts node : nodes) {
      node.unschedulable = waits;
      world.Put(node);
    }
    for (int minute = 0; minute < (waits ? 240 : 5); ++minute) world.Pass(absl::Minutes(1));
    for (const NodeFacts& node : nodes) world.Put(node);
    world.Wait(absl::Seconds(2));
    world.Start();
  }
  // Once all of it is gone for long that is over.
  for (int i = 0; i < 3; ++i) world.Delete(world.Bound(i));
  for (int minute = 0; minute < 240; ++minute) world.Pass(absl::Minutes(1));
  ++world.life;
  for (int i = 0; i < 3; ++i) world.Show(world.Pod(i));
  world.Start();
  REQUIRE(world.Evicted(absl::Hours(3) + 2 * kReadyLook).size() == 3);
  world.Anew();
  world.Wait(absl::Seconds(2));
  CHECK(world.Refusal(world.Pod(0)).find("(1 time)") != std::string::npos);
}

TEST_CASE("ready times: who was ready has the other time") {
  ReadyWorld world;
  world.AllReady();
  world.Wait(absl::Hours(1));
  world.Say(1, false);
  world.Wait(kRepair - absl::Seconds(2));
  CHECK(world.AnswerAll().empty());
  world.ForgetEffects();
  CHECK(world.Evicted(kReadyLook + absl::Seconds(2)).size() == 3);
  CHECK(
      world.Told() ==
      Names{"gang team/train of 3: 1 of its pods has not been ready for 5m "
            "(repair.readyTimeout): all of it is evicted, to start anew after a while; not ready: "
            "train-1-0 on " +
            world.nodes[1]});
}

TEST_CASE("ready times: nothing happens where all are ready again, also while it is asked") {
  ReadyWorld world;
  world.AllReady();
  for (int i = 0; i < 5; ++i) {  // it flaps
    world.Say(2, false);
    world.Wait(kRepair - absl::Seconds(20));
    world.Say(2, true);
    world.Wait(absl::Seconds(1));
  }
  CHECK(world.AnswerAll().empty());
  world.Say(2, false);
  world.Wait(kRepair + absl::Seconds(2));
  const auto asked = world.Take<PodDelete>();
  REQUIRE(asked.size() == 3);
  world.Say(2, true);
  for (const PodDelete& one : asked)
    world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
  world.Wait(absl::Minutes(2));
  CHECK(world.AnswerAll().empty());
}

TEST_CASE("ready times: one of them may be off") {
  PlannerOptions options = Readying();
  const bool start = GENERATE(true, false);
  (start ? options.ready.start : options.ready.repair) = absl::ZeroDuration();
  ReadyWorld world(options);
  if (!start) world.AllReady();
  if (!start) world.Say(0, false);
  world.Wait(absl::Hours(2));
  CHECK(world.AnswerAll().empty());
}

TEST_CASE("ready times: what may not be evicted is asked about again after a while") {
  ReadyWorld world;
  world.Wait(kStart + absl::Seconds(2));
  CHECK(world.AnswerAll(absl::FailedPreconditionError("a budget")).empty());
  world.Wait(kSparedFor - kReadyLook - absl::Seconds(2));
  CHECK(world.Take<PodDelete>().empty());
  CHECK(world.Evicted(3 * kReadyLook).size() == 3);
}

TEST_CASE("ready times: a question that nobody answers is let go, and asked again") {
  ReadyWorld world;
  world.Wait(kStart + absl::Seconds(2));
  REQUIRE(world.Take<PodDelete>().size() == 3);
  CHECK(world.Evicted(kSparedFor + 4 * kReadyLook).size() == 3);
}

TEST_CASE("ready times: who has succeeded, or is made by nobody, keeps its gang") {
  const bool succeeds = GENERATE(true, false);
  ReadyWorld world;
  if (succeeds) {
    world.ShowFinished(world.Pod(0), world.nodes[0]);
  } else {
    PodFacts bare = world.Bound(0);
    bare.controller.reset();
    world.Show(bare);
  }
  world.Wait(absl::Hours(1));
  CHECK(world.AnswerAll().empty());
}

TEST_CASE("ready times: of a gang that may grow its least number is to be ready") {
  const bool enough = GENERATE(true, false);
  JobSpec train = kTrain;
  SetWord(train.words, "gangplan.io/start", enough ? "2" : "3");
  ReadyWorld world(Readying(), train);
  world.Say(0, true);
  world.Say(1, true);
  CHECK(world.Evicted(kStart + kReadyLook + absl::Seconds(2)).size() == (enough ? 0 : 3));
}

TEST_CASE("ready times: of a gang that may grow the time counts from when too few are ready") {
  JobSpec train = kTrain;
  SetWord(train.words, "gangplan.io/start", "2");
  ReadyWorld world(Readying(), train);
  world.Say(0, true);
  world.Say(1, true);
  CHECK(world.Evicted(3 * kStart).empty());  // one is beyond, and never ready
  world.Say(1, false);
  CHECK(world.Evicted(kStart - absl::Seconds(5)).empty());
  world.Say(1, true);
  CHECK(world.Evicted(2 * kReadyLook).empty());
  world.Say(1, false);
  CHECK(world.Evicted(kStart - absl::Seconds(5)).empty());
  CHECK(world.Evicted(2 * kReadyLook + absl::Seconds(10)).size() == 3);
}

TEST_CASE("ready times: a gang that lacks a member is repaired, and has its time then") {
  ReadyWorld world;
  world.AllReady();
  const std::string lost = world.nodes[2];
  world.DeleteNode(lost);
  world.Delete(world.Bound(2));
  const PodFacts again = JobPod(kTrain, 2, 1);
  world.Show(again);
  world.Say(0, false);
  world.Wait(absl::Hours(1));
  CHECK(world.AnswerAll().empty());
  world.Put(MakeNode(0, lost[4] - '0', lost[7] - '0'));
  REQUIRE(world.FilterAndBind(again) == lost);
  REQUIRE(world.BindAll() == 1);
  CHECK(world.Evicted(kRepair - absl::Seconds(2)).empty());
  CHECK(world.Evicted(3 * kReadyLook).size() == 3);
}

TEST_CASE("ready times: a restart of Gangplan counts anew") {
  ReadyWorld world;
  world.Wait(kStart - absl::Seconds(5));
  std::vector<PodFacts> pods;
  for (int i = 0; i < 3; ++i) {
    pods.push_back(BoundByUs(kTrain, i, world.nodes[static_cast<size_t>(i)], i));
  }
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 3));
  for (const PodFacts& pod : pods) world.Show(pod);
  world.Sync();
  REQUIRE(world.StateOf("team/train") == "Running");
  world.Wait(kStart - absl::Seconds(5));
  CHECK(world.AnswerAll().empty());
  CHECK(world.Evicted(3 * kReadyLook).size() == 3);
}

// All pods are seen in one turn, before anybody knows whose they are.
TEST_CASE("ready times: likewise where what made the pods is read after they were seen") {
  ReadyWorld world(Readying(absl::Minutes(1), kRepair));
  std::vector<PodFacts> pods;
  for (int i = 0; i < 3; ++i) {
    pods.push_back(BoundByUs(kTrain, i, world.nodes[static_cast<size_t>(i)], i));
    pods.back().ready = i != 0;
  }
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 3));
  world.answer_owners = false;
  for (const PodFacts& pod : pods) world.Show(pod);
  world.Sync();
  const bool late = GENERATE(false, true);
  if (late) world.Wait(kRepair);  // others are planned by then
  world.answer_owners = true;
  world.planner().OnOwner(world.now(), OwnerKey("team", kTrain.Uid()), JobOwner(kTrain));
  world.Pass(absl::Seconds(1));
  REQUIRE(world.StateOf("team/train") == "Running");
  CHECK(world.Evicted(kRepair - absl::Seconds(5)).empty());
  CHECK(world.Evicted(3 * kReadyLook).size() == 3);
}

TEST_CASE("ready times: where most nodes are not ready nobody is evicted for that") {
  ReadyWorld world;
  for (NodeFacts node : MakeNodes(1, 2, 3)) {
    node.ready = node.name == world.nodes[0];
    world.Put(node);
  }
  world.Wait(absl::Hours(1));
  CHECK(world.AnswerAll().empty());
}

TEST_CASE("ready times: a Job with the switch is suspended, and started again after its rest") {
  PlannerOptions options = PlannerWorld::Options();
  options.ready = {kStart, kRepair};
  SuspendedWorld world(options);
  const JobSpec train = Pair();
  const JobWrite start = world.Run(train);
  const std::vector<std::string> nodes = world.Nodes("team/train");
  world.ForgetEffects();
  std::vector<JobWrite> writes;
  for (int second = 0; writes.empty() && second < 700; ++second) {
    world.Pass(absl::Seconds(1));
    for (const PodDelete& one : world.Take<PodDelete>())
      world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
    writes = world.Take<JobWrite>();
  }
  REQUIRE(writes.size() == 1);
  CHECK((writes[0].suspend && writes[0].evicts));
  world.Tell(writes[0]);
  world.See(train);
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = SuspendedWorld::Born(train, i, start);
    pod.node_name = nodes[static_cast<size_t>(i)];
    world.ShowTerminating(pod);
    world.Delete(pod);
  }
  world.See(train);
  JobWrite again;
  const int rested = world.SecondsToWrite(120, again);
  CHECK(rested >= 50);
  CHECK(rested <= 70);
  CHECK_FALSE(again.suspend);
}

}  // namespace
}  // namespace gangplan::ready_times_test
