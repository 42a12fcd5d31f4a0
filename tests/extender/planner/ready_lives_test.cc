// Lives of gangs that are not ready in time, or have lost what has no room: starting anew, repaired
// late, read anew.
#include <algorithm>
#include <memory>
#include <variant>

#include "extender/cluster/annotations.h"
#include "extender/frontends/gangplan/words.h"
#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "tests/extender/planner/gates_world.h"
#include "tests/extender/planner/line_world.h"
#include "tests/extender/planner/preemption_world.h"
#include "tests/extender/planner/ready_world.h"
#include "tests/extender/planner/several_world.h"
#include "tests/extender/planner/suspended_world.h"

namespace gangplan::ready_lives_test {
namespace {

struct Relaxed : ReadyWorld {
  explicit Relaxed(PlannerOptions options = Relaxing()) : ReadyWorld(std::move(options)) {
    const PodFacts again = Lose(train, 2);
    Wait(kRestartTimeout + absl::Seconds(3));
    FilterAndBind(again);
    REQUIRE(BindAll() == 1);
    nodes = Nodes(Name());
    REQUIRE(Report(Name()).place.find("anywhere") != std::string::npos);
  }
  PodFacts Now(int index) {
    return On(JobPod(train, index, index == 2 ? 1 : 0), nodes[static_cast<size_t>(index)]);
  }
};

TEST_CASE("relax: who starts anew has its rules again, also where its pods come at once") {
  Relaxed world;
  for (int i = 0; i < 3; ++i) {
    world.ShowTerminating(world.Now(i));
    world.Delete(world.Now(i));
    world.Show(JobPod(world.train, i, 2));
  }
  CHECK(world.StateOf("team/train") != "Repairing");
  world.Wait(absl::Seconds(5));
  for (int i = 0; i < 3; ++i) world.FilterAndBind(JobPod(world.train, i, 2));
  CHECK(world.BindAll() == 3);
  const auto at = world.Nodes("team/train");
  for (int i = 1; i < 3; ++i) CHECK(DomainOf(at[static_cast<size_t>(i)], 1) == DomainOf(at[0], 1));
}

Topology TwoLevels() {
  Topology topology = ThreeLevels();
  topology.levels.erase(topology.levels.begin());
  return *CompleteTopology(topology);
}

// ---- ready

TEST_CASE("ready times: a gang that starts anew has the time of a start, however its pods come") {
  ReadyWorld world(Readying(kStart, absl::Minutes(1)));
  world.AllReady();
  world.Wait(absl::Hours(1));
  world.OneByOne();
  for (int i = 0; i < 3; ++i) world.FilterAndBind(JobPod(world.train, i, 1));
  REQUIRE(world.BindAll() == 3);
  world.nodes = world.Nodes(world.Name());
  CHECK(world.Evicted(kStart - absl::Seconds(20)).empty());
}

TEST_CASE("ready times: who was repaired at last has some time to be ready") {
  ReadyWorld world;
  world.AllReady();
  const std::string lost = world.nodes[2];
  world.DeleteNode(lost);
  world.Delete(world.Bound(2));
  const PodFacts again = JobPod(world.train, 2, 1);
  world.Show(again);
  world.Say(0, false);  // it waits for its peer
  world.Wait(kRepair + absl::Minutes(1));
  world.Put(MakeNode(0, lost[4] - '0', lost[7] - '0'));
  REQUIRE(world.FilterAndBind(again) == lost);
  REQUIRE(world.BindAll() == 1);
  CHECK(world.Evicted(absl::Minutes(1)).empty());
}

TEST_CASE("ready times: a pod that is none of the gang's does not have it evicted") {
  ReadyWorld world;
  world.AllReady();
  PodFacts odd = JobPod(world.train, 3);
  SetWord(odd.annotations, "gangplan.io/place", "block=pack!");
  world.Show(world.On(odd, world.nodes[0] == "b0-r0-n0" ? "b0-r1-n0" : "b0-r0-n0"));
  CHECK(world.Evicted(2 * kStart).empty());
}

TEST_CASE("ready times: of which a pod has succeeded and is gone is left alone") {
  ReadyWorld world;
  world.ShowFinished(JobPod(world.train, 0), world.nodes[0]);
  world.Delete(world.Bound(0));
  world.Say(1, true);
  REQUIRE(world.StateOf("team/train") == "Running");
  CHECK(world.Evicted(absl::Hours(1)).empty());
}

TEST_CASE("ready times: of which a pod succeeds while it is asked is left alone") {
  ReadyWorld world;
  world.Wait(kStart + absl::Seconds(2));
  const auto asked = world.Take<PodDelete>();
  REQUIRE(asked.size() == 3);
  world.ShowFinished(JobPod(world.train, 0), world.nodes[0]);
  if (GENERATE(false, true)) world.Delete(world.Bound(0));
  for (const PodDelete& one : asked)
    world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
  CHECK(world.AnswerAll().empty());
}

TEST_CASE("ready times: the rest of one gang is not that of the next one of its name") {
  JobSpec one = kTrain;
  one.name = "one";
  one.words = {{"gangplan.io/group", "g"}, {"gangplan.io/size", "3"}};
  ReadyWorld world(Readying(), one);
  REQUIRE(world.Evicted(2 * kStart).size() == 3);
  for (int i = 0; i < 3; ++i) world.ShowTerminating(world.Bound(i));
  for (int i = 0; i < 3; ++i) world.Delete(world.Bound(i));
  JobSpec two = one;  // the user has deleted the Job and made another one
  two.name = "two";
  world.Register(two);
  for (int i = 0; i < 3; ++i) world.Show(JobPod(two, i));
  world.Wait(absl::Seconds(3));
  CHECK(world.Refusal(JobPod(two, 0)) == "passed: 1");
}

// A leader by one Job, and workers by another one: whoever makes its pods first the next time.
TEST_CASE("ready times: a gang of two Jobs rests as a whole, and longer each time") {
  const bool turned = GENERATE(false, true);
  AnewWorld world(MakeNodes(1, 1, 2), Readying());
  std::vector<JobSpec> jobs(2, Named("lead", "g", 2));
  jobs[1].name = "work";
  for (const JobSpec& job : jobs) world.Register(job);
  const auto show = [&](int life) {
    const size_t first = turned && life % 2 == 1 ? 1 : 0;
    for (size_t i : {first, 1 - first}) world.Show(JobPod(jobs[i], 0, life));
  };
  const auto start = [&](int life) {
    for (const JobSpec& job : jobs) world.FilterAndBind(JobPod(job, 0, life));
    REQUIRE(world.BindAll() == 2);
    world.ForgetEffects();
  };
  show(0);
  start(0);
  for (int life = 0; life < 3; ++life) {
    Names evicted;
    for (const absl::Time end = world.now() + 2 * kStart; evicted.empty() && world.now() < end;) {
      world.Wait(absl::Seconds(1));
      evicted = world.AnswerAll();
    }
    REQUIRE(evicted.size() == 2);
    for (const JobSpec& job : jobs) world.Delete(JobPod(job, 0, life));
    REQUIRE(world.StateOf("team/g") == "(none)");
    show(life + 1);
    world.Wait(absl::Seconds(2));
    const std::string times = life == 0 ? "1 time" : fmt::format("{} times in a row", life + 1);
    CHECK(world.Refusal(JobPod(jobs[0], 0, life + 1))
              .starts_with("gang team/g was evicted, since not all of its pods were ready in time "
                           "(" +
                           times + ")"));
    world.Wait(absl::Minutes(1 << life));
    start(life + 1);
  }
}

TEST_CASE("ready times: repair.readyTimeout 0s: who was ready stays, also over a restart") {
  ReadyWorld world(Readying(kStart, absl::ZeroDuration()));
  world.AllReady();
  world.Wait(absl::Minutes(1));
  world.Say(1, false);
  REQUIRE(world.Evicted(absl::Hours(1)).empty());
  std::vector<PodFacts> pods;
  for (int i = 0; i < 3; ++i) {
    pods.push_back(BoundByUs(world.train, i, world.nodes[static_cast<size_t>(i)], i));
    pods.back().ready = i != 1;
  }
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 3));
  for (const PodFacts& pod : pods) world.Show(pod);
  world.Sync();
  REQUIRE(world.StateOf("team/train") == "Running");
  CHECK(world.Evicted(absl::Hours(1)).empty());
}

TEST_CASE("ready times: who was ready is so also after it was read anew") {
  PlannerOptions options = Readying(absl::ZeroDuration(), kRepair);
  options.topologies[0].live = "levels";
  ReadyWorld world(options);
  world.AllReady();
  world.Wait(absl::Minutes(1));
  world.Say(1, false);
  world.Wait(absl::Seconds(30));
  REQUIRE(world.planner().OnTopology(world.now(), TwoLevels(), {}));
  world.Wait(absl::Seconds(1));
  REQUIRE(world.StateOf("team/train") == "Running");
  CHECK(world.Evicted(2 * kRepair).size() == 3);
}

TEST_CASE("ready times: nobody was ready of whom the watch has not shown that it runs") {
  ReadyWorld world(Readying(kStart, absl::Minutes(1)));
  world.OneByOne();  // and once more, without the watch
  for (int i = 0; i < 3; ++i) world.ShowTerminating(JobPod(world.train, i, 1));
  for (int i = 0; i < 3; ++i) world.Delete(JobPod(world.train, i, 1));
  world.life = 2;
  for (int i = 0; i < 3; ++i) world.Show(JobPod(world.train, i, 2));
  for (int i = 0; i < 3; ++i) world.FilterAndBind(JobPod(world.train, i, 2));
  for (const BindingWrite& post : world.Take<BindingWrite>())
    world.Settle(post, BindOutcome::kBound);
  world.nodes = world.Nodes(world.Name());
  REQUIRE(world.StateOf("team/train") == "Running");
  world.Say(0, false);
  world.Say(0, true);
  world.Say(1, false);
  world.Say(2, false);
  CHECK(world.Evicted(kStart - absl::Seconds(20)).empty());
}

// The launcher is made when its workers are ready, which is never.
TEST_CASE("ready times: workers that are not ready are evicted before their launcher has come") {
  AnewWorld world(MakeNodes(1, 2, 3), Readying());
  world.Register(LauncherLast());
  world.Run(MpiWorkers());
  const auto evicted = [&](absl::Duration within) {
    std::vector<std::string> names;
    for (const absl::Time end = world.now() + within; names.empty() && world.now() < end;) {
      world.Wait(absl::Seconds(1));
      names = world.AnswerAll();
    }
    return names;
  };
  SECTION("room is held for it") { REQUIRE(world.HoldCount() == 1); }
  SECTION("that was given back") {
    REQUIRE(evicted(PlannerWorld::Options().gather_timeout + absl::Seconds(1)).empty());
    REQUIRE(world.HoldCount() == 0);
  }
  REQUIRE(world.StateOf("team/train") != "Running");
  CHECK(evicted(kStart + 2 * kReadyLook) == Names{"train-worker-0", "train-worker-1"});
}

TEST_CASE("ready times: a budget keeps who has no launcher yet, also when another one takes over") {
  AnewWorld world(MakeNodes(1, 2, 3), Readying());
  world.Register(LauncherLast());
  std::vector<PodFacts> pods = MpiWorkers();
  world.Run(pods);
  for (const auto& slot : world.Report("team/train").slots) {
    for (PodFacts& pod : pods)
      if (pod.name == slot.pod) pod.node_name = slot.node;
  }
  for (PodFacts& pod : pods) SetWord(pod.annotations, kPlanAnnotation, "train.1");
  SetWord(pods[0].annotations, kEvictedForAnnotation, "team/train");
  world.Restart();
  world.AddNodes(MakeNodes(1, 2, 3));
  for (const PodFacts& pod : pods) world.Show(pod);
  world.Sync();
  // What the one before has sent may land still: it is asked twice.
  for (int turn = 0; turn < 2; ++turn) {
    const auto asked = world.Take<PodDelete>();
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].how == PodDelete::How::kEvict);
    world.planner().OnPodDelete(world.now(), asked[0].pod.uid, asked[0].attempt,
                                absl::FailedPreconditionError("disruption budget"));
    CHECK(world.Take<PodDelete>().empty());
    if (turn == 0) world.Pass(kLandsWithin);
  }
  const auto marks = world.Take<PodMark>();
  REQUIRE(marks.size() == 1);
  CHECK(marks[0].annotations == LabelPatch{{std::string(kEvictedForAnnotation), std::nullopt}});
}

TEST_CASE("ready times: a worker that is missing is waited for, whether its launcher is there") {
  AnewWorld world(MakeNodes(1, 2, 3), Readying());
  world.Register(LauncherLast());
  world.Run(MpiWorkers());
  world.Delete(MpiWorkers()[1]);
  world.Wait(kStart + 3 * kReadyLook);
  CHECK(world.AnswerAll().empty());
}

TEST_CASE("ready times: a question whose answers come is waited for") {
  ReadyWorld world;
  world.Wait(kStart + absl::Seconds(2));
  const auto asked = world.Take<PodDelete>();
  REQUIRE(asked.size() == 3);
  for (const PodDelete& one : asked) {
    world.Wait(absl::Seconds(5));
    world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
  }
  CHECK(world.Evicted(absl::Minutes(1)).size() == 3);
}

TEST_CASE("ready times: a gang of more pods than are asked at once can be evicted") {
  // 1,000 pods, of which 60 are answered a second, as a client with a limit does.
  PlannerOptions options = Readying();
  JobSpec big{.name = "train", .size = 1'000, .gpus = 0, .place = "rack=pack!", .cpu = 1};
  PlannerWorld world(options);
  for (NodeFacts node : MakeNodes(1, 1, 3)) {
    for (ResourceAmount& amount : node.allocatable) amount.amount = 1'000'000;
    world.Put(node);
  }
  world.Sync();
  world.Register(big);
  for (int i = 0; i < big.size; ++i) world.Show(BoundByUs(big, i, "b0-r0-n0", i));
  world.Pass(absl::Seconds(1));
  REQUIRE(world.StateOf("team/train") == "Running");
  std::vector<PodDelete> waiting;
  bool begun = false;
  for (int second = 0; second < 1'500 && !begun; ++second) {
    world.Pass(absl::Seconds(1));
    for (PodDelete& one : world.Take<PodDelete>()) waiting.push_back(std::move(one));
    begun = !world.Take<PodMark>().empty();
    for (int i = 0; i < 60 && !waiting.empty(); ++i) {
      const PodDelete one = waiting.front();
      waiting.erase(waiting.begin());
      world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
    }
  }
  CHECK(begun);
}

TEST_CASE("ready times: who flaps before all of it were bound was not ready as a gang") {
  PlannerOptions options = Readying(kStart, absl::Minutes(1));
  options.start_at_first_member = true;
  AnewWorld world(MakeNodes(1, 2, 3), options);
  world.Register(kTrain);
  std::vector<PodFacts> pods;
  for (int i = 0; i < 3; ++i) pods.push_back(JobPod(kTrain, i));
  const auto bind = [&](size_t i) {
    world.Show(pods[i]);
    pods[i].node_name = world.FilterAndBind(pods[i]);
    REQUIRE(world.BindAll() == 1);
  };
  bind(0);
  PodFacts first = pods[0];
  first.ready = true;
  world.Show(first);
  first.ready = false;  // its peers are missing
  world.Show(first);
  world.Wait(absl::Minutes(1));
  bind(1);
  bind(2);
  REQUIRE(world.StateOf("team/train") == "Running");
  std::vector<std::string> evicted;
  for (const absl::Time end = world.now() + kStart - absl::Seconds(20);
       evicted.empty() && world.now() < end;) {
    world.Wait(absl::Seconds(1));
    evicted = world.AnswerAll();
  }
  CHECK(evicted.empty());
}

}  // namespace
}  // namespace gangplan::ready_lives_test
