// Gangs that no repair makes whole: repair.onFailure: restart.
#include "extender/planner/restarts.h"

#include <algorithm>

#include "extender/planner/event_reasons.h"
#include "extender/planner/limits.h"
#include "tests/extender/planner/elastic_world.h"
#include "tests/extender/planner/restarts_world.h"
#include "tests/support/catch.h"

namespace gangplan::restarts_test {
namespace {

// Two racks of three nodes; a gang of three fills one of them.
struct TwoRacksOfThree : AnewWorld {
  JobSpec train = kTrain;
  int lives = 0;  // of each index so far

  explicit TwoRacksOfThree(const PlannerOptions& options = Restarting())
      : AnewWorld(MakeNodes(1, 2, 3), options) {
    RunJob(train);
  }
  void Start() {
    for (int i = 0; i < train.size; ++i) FilterAndBind(Pod(i));
    REQUIRE(BindAll() == train.size);
    REQUIRE(StateOf("team/train") == "Running");
    ForgetEffects();
  }
  PodFacts Pod(int index) { return JobPod(train, index, lives); }
  PodFacts BoundPod(int index) {
    return On(Pod(index), Nodes("team/train")[static_cast<size_t>(index)]);
  }
  PodFacts LoseLast() { return Lose(train, train.size - 1, lives); }
};

TEST_CASE("restarts: a gang that cannot be made whole where it runs starts anew as a whole") {
  TwoRacksOfThree world;
  const std::vector<std::string> before = world.Nodes("team/train");
  const PodFacts again = world.LoseLast();
  CHECK(world.Passed(again).empty());
  world.Wait(kRestartTimeout - absl::Seconds(1));
  CHECK(world.AnswerAll().size() == 0);
  const PodFacts first = world.BoundPod(0), second = world.BoundPod(1);
  world.ForgetEffects();
  world.Wait(absl::Seconds(2));
  CHECK(world.AnswerAll().size() == 2);
  auto notes = world.Take<EventNote>();
  std::erase_if(notes, [](const EventNote& note) { return note.reason == kGangWaiting; });
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].reason == kGangRestarted);
  CHECK(notes[0].regarding.name == "train");
  CHECK(notes[0].note.find(
            "gang team/train of 3: 2 of it run, and the rest has had no room beside them for 5m: "
            "all of it is evicted, to start anew where it fits (1 of 3 times within an hour); gang "
            "team/train: impossible: 3 members must share one rack") == 0);
  CHECK(world.Refusal(again) ==
        "gang team/train is evicted as a whole, to start anew: it is planned again when its last "
        "pod is on its way out");
  for (const PodFacts& pod : {first, second}) world.ShowTerminating(pod);
  for (const PodFacts& pod : {first, second}) world.Delete(pod);
  world.lives = 1;
  for (int i = 0; i < 2; ++i) world.Show(world.Pod(i));
  world.Start();
  const std::vector<std::string> after = world.Nodes("team/train");
  CHECK(after[0].substr(0, 5) != before[0].substr(0, 5));
}

TEST_CASE("restarts: who has room again in time, or is not told to restart, stays") {
  const bool restarts = GENERATE(true, false);
  TwoRacksOfThree world(restarts ? Restarting() : PlannerWorld::Options());
  const std::string node = world.Nodes("team/train")[2];
  world.LoseLast();
  world.Wait(kRestartTimeout - absl::Seconds(1));
  if (restarts) world.Put(MakeNode(0, node[4] - '0', node[7] - '0'));
  world.Wait(absl::Minutes(10));
  CHECK(world.AnswerAll().size() == 0);
}

TEST_CASE("restarts: who has room while it is asked whether all of it may go stays") {
  TwoRacksOfThree world;
  const std::string node = world.Nodes("team/train")[2];
  const PodFacts again = world.LoseLast();
  world.Wait(kRestartTimeout + absl::Seconds(1));
  const auto asked = world.Take<PodDelete>();
  REQUIRE(asked.size() == 2);
  world.Put(MakeNode(0, node[4] - '0', node[7] - '0'));
  REQUIRE(world.FilterAndBind(again) == node);
  for (const PodDelete& one : asked)
    world.planner().OnPodDelete(world.now(), one.pod.uid, one.attempt, absl::OkStatus());
  CHECK(world.AnswerAll().size() == 0);
  CHECK(world.BindAll() == 1);
  CHECK(world.StateOf("team/train") == "Running");
}

TEST_CASE("restarts: what grows has lost nothing") {
  TwoRacksOfThree world;
  world.train.size = 4;
  world.Reregister(world.train);
  world.Show(world.Pod(3));
  world.Wait(kOwnerReadAfter + absl::Seconds(2));
  REQUIRE(world.Report("team/train").size == 4);
  CHECK(world.Passed(world.Pod(3)).empty());
  world.Wait(absl::Minutes(20));
  CHECK(world.AnswerAll().size() == 0);
}

TEST_CASE("restarts: who may grow starts anew when it lacks some of its least number") {
  const bool lacks = GENERATE(true, false);
  AnewWorld world(MakeNodes(1, 2, 3));
  JobSpec train = ElasticJob(lacks ? "3" : "2", 3);
  world.RunJob(train);
  const PodFacts again = world.Lose(train, 2);
  CHECK(world.Passed(again).empty());
  world.Wait(kRestartTimeout + absl::Seconds(2));
  CHECK(world.AnswerAll().size() == (lacks ? 2 : 0));
}

TEST_CASE("restarts: a budget that is against it keeps all of it, and is asked again") {
  TwoRacksOfThree world;
  world.LoseLast();
  world.Wait(kRestartTimeout + absl::Seconds(1));
  CHECK(world.AnswerAll(absl::FailedPreconditionError("a budget")).size() == 0);
  world.Wait(kSparedFor - absl::Seconds(2));
  CHECK(world.Take<PodDelete>().empty());
  world.Wait(absl::Seconds(4));
  CHECK(world.AnswerAll().size() == 2);
}

TEST_CASE("restarts: one gang starts anew so many times within an hour, and is told once") {
  TwoRacksOfThree world(Restarting(1));
  for (int round = 0; round < 2; ++round) {
    world.LoseLast();
    const PodFacts first = world.BoundPod(0), second = world.BoundPod(1);
    world.ForgetEffects();
    world.Wait(kRestartTimeout + absl::Seconds(2));
    CHECK(world.AnswerAll().size() == (round == 0 ? 2U : 0U));
    if (round == 1) break;
    for (const PodFacts& pod : {first, second}) world.Delete(pod);
    world.lives = 1;
    for (int i = 0; i < 2; ++i) world.Show(world.Pod(i));
    world.Start();
  }
  world.Wait(absl::Minutes(10));
  int told = 0;
  for (const EventNote& note : world.Take<EventNote>()) {
    if (note.reason != kGangRestarted) continue;
    ++told;
    CHECK(note.note.find("it waits now, since it has started anew 1 of 1 times within an hour") !=
          std::string::npos);
  }
  CHECK(told == 1);
  size_t evicted = 0;
  for (int i = 0; i < 2 * 3'600 && evicted == 0; ++i) {
    world.Wait(absl::Seconds(1));
    evicted = world.AnswerAll().size();
  }
  CHECK(evicted == 2);
}

TEST_CASE("restarts: where most nodes are not ready nobody is evicted for that") {
  TwoRacksOfThree world;
  for (const NodeFacts& node : MakeNodes(1, 2, 3)) {
    if (node.name == world.Nodes("team/train")[0]) continue;
    NodeFacts failed = node;
    failed.ready = false;
    world.Put(failed);
  }
  const PodFacts lost = world.BoundPod(2);
  world.Delete(lost);
  world.Show(JobPod(world.train, 2, 1));
  world.Wait(absl::Minutes(20));
  CHECK(world.AnswerAll().size() == 0);
}

}  // namespace
}  // namespace gangplan::restarts_test
