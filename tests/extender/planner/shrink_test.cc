// Gangs that can do without some of their pods, and lose these before anybody gives way as a whole.
#include "extender/planner/event_reasons.h"
#include "tests/extender/planner/elastic_world.h"
#include "tests/extender/planner/preemption_world.h"
#include "tests/support/catch.h"

namespace gangplan::shrink_test {
namespace {

// A rack of four nodes, filled by a gang that starts with two.
struct FullRack : Evicting {
  JobSpec train = ElasticJob("2");
  std::vector<std::string> nodes;

  explicit FullRack(int racks = 1, PlannerOptions options = Preempting())
      : Evicting(std::move(options)) {
    world.AddNodes(MakeNodes(1, racks, 4));
    world.Sync();
    train.priority = 1;
    world.ShowJob(train, 0, 4);
    for (int round = 0; round < 3; ++round) TryAll(world, train, {0, 1, 2, 3});
    world.Pass(absl::Seconds(1));
    TryAll(world, train, {0, 1, 2, 3});
    nodes = world.Nodes("team/train");
    REQUIRE(world.Report("team/train").bound == 4);
    world.ForgetEffects();
  }
  PodFacts Bound(int index) {
    PodFacts pod = JobPod(train, index);
    pod.node_name = nodes[static_cast<size_t>(index)];
    return pod;
  }
};

PodDelete EvictOne(FullRack& rack) {
  PodDelete one = rack.Evict();
  CHECK(one.how == PodDelete::How::kEvict);
  return one;
}

}  // namespace

TEST_CASE("Shrink: who can do without some loses these alone, from its end on") {
  FullRack rack;
  PlannerWorld& world = rack.world;
  const JobSpec high = Gang("high", 100, 2);
  world.ShowJob(high, 0, 2);
  CHECK(world.Refusal(JobPod(high, 0)) ==
        "gang team/high of 2: it has room when what gives way to it has stopped: team/train (2 of "
        "its pods)");
  CHECK(rack.Try() == std::vector<std::string>{"train-2-0", "train-3-0"});
  CHECK(world.Take<PodMark>().empty());
  const PodDelete first = EvictOne(rack);
  rack.Tell(first);
  const auto notes = world.Take<EventNote>();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].reason == kGangPreempted);
  CHECK(notes[0].note.find("gang team/train of 4, priority 1, gives up 2 of its pods, which it can "
                           "do without, to gang team/high of 2, priority 100, which would wait") ==
        0);
  rack.Tell(EvictOne(rack));
  for (int i : {2, 3}) {
    world.ShowTerminating(rack.Bound(i));
    world.Delete(rack.Bound(i));
    world.Show(JobPod(rack.train, i, 1));  // its controller makes it anew
  }
  CHECK(world.StateOf("team/train") != "Blocked");
  CHECK(world.Report("team/train").bound == 2);
  CHECK(TryAll(world, rack.train, {2, 3}, 1) == 0);  // that room is the other one's
  CHECK(TryAll(world, high, {0, 1}) == 2);
  CHECK(world.StateOf("team/high") == "Running");
  // When that has ended they come back beside those that stand.
  for (int i : {0, 1}) world.Delete(JobPod(high, i));
  world.Pass(absl::Minutes(1));
  int joined = 0;
  for (int round = 0; round < 3; ++round) joined += TryAll(world, rack.train, {2, 3}, 1);
  CHECK(joined == 2);
}

TEST_CASE("Shrink: what was given up joins again behind those that wait in line") {
  PlannerOptions options = Preempting();
  options.queue_mode = QueueMode::kStrict;
  FullRack rack(1, options);
  PlannerWorld& world = rack.world;
  const JobSpec high = Gang("high", 100, 1);
  world.ShowJob(high, 0, 1);
  REQUIRE(rack.Try() == std::vector<std::string>{"train-3-0"});
  rack.Tell(EvictOne(rack));
  world.ShowTerminating(rack.Bound(3));
  world.Delete(rack.Bound(3));
  world.Show(JobPod(rack.train, 3, 1));
  REQUIRE(TryAll(world, high, {0}) == 1);
  const JobSpec first = Gang("first", 50, 2);
  world.Register(first);
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = JobPod(first, i);
    pod.never_preempts = true;
    world.Show(pod);
  }
  world.Pass(absl::Seconds(1));
  REQUIRE(world.Report("team/first").line_place == 1);
  world.Delete(JobPod(high, 0));
  world.Pass(absl::Seconds(1));
  CHECK(TryAll(world, rack.train, {3}, 1) == 0);
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Shrink: what was given up, and goes one after the other, joins again behind the line") {
  PlannerOptions options = Preempting();
  options.queue_mode = QueueMode::kStrict;
  FullRack rack(1, options);
  PlannerWorld& world = rack.world;
  const JobSpec high = Gang("high", 100, 2);
  world.ShowJob(high, 0, 2);
  REQUIRE(rack.Try() == std::vector<std::string>{"train-2-0", "train-3-0"});
  for (int i = 0; i < 2; ++i) rack.Tell(EvictOne(rack));
  for (int i : {2, 3}) {
    world.ShowTerminating(rack.Bound(i));
    world.Delete(rack.Bound(i));
    world.Pass(absl::Seconds(1));
  }
  REQUIRE(TryAll(world, high, {0, 1}) == 2);
  world.Show(JobPod(rack.train, 3, 1));
  const JobSpec first = Gang("first", 50, 3);
  world.Register(first);
  for (int i = 0; i < 3; ++i) {
    PodFacts pod = JobPod(first, i);
    pod.never_preempts = true;
    world.Show(pod);
  }
  world.Pass(absl::Seconds(1));
  REQUIRE(world.Report("team/first").line_place == 1);
  for (int i = 0; i < 2; ++i) world.Delete(JobPod(high, i));
  world.Pass(absl::Seconds(1));
  CHECK(TryAll(world, rack.train, {3}, 1) == 0);
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Shrink: where that is not enough all of it goes") {
  FullRack rack;
  rack.world.ShowJob(Gang("high", 100, 3), 0, 3);
  CHECK(rack.Try().size() == 4);
  CHECK(rack.world.Take<PodMark>().size() == 1);
}

TEST_CASE("Shrink: what a budget refuses stays, and nobody else was touched") {
  FullRack rack;
  rack.world.ShowJob(Gang("high", 100, 1), 0, 1);
  CHECK(rack.Try(absl::FailedPreconditionError("budget")).size() == 1);
  CHECK(rack.world.Take<PodDelete>().empty());
  CHECK(rack.world.Report("team/train").bound == 4);
}

TEST_CASE(
    "Shrink: a budget that refuses the second one keeps that, and the first one's room is free") {
  FullRack rack;
  PlannerWorld& world = rack.world;
  const JobSpec high = Gang("high", 100, 2);
  world.ShowJob(high, 0, 2);
  rack.Try();
  const PodDelete first = EvictOne(rack);
  rack.Tell(first);
  rack.Tell(EvictOne(rack), absl::FailedPreconditionError("budget"));
  for (const PodDelete& one : world.Take<PodDelete>()) CHECK(one.how == PodDelete::How::kTry);
  CHECK(world.Take<PodMark>().empty());
  for (int i : {2, 3}) {
    if (JobPod(rack.train, i).uid != first.pod.uid) continue;
    world.ShowTerminating(rack.Bound(i));
    world.Delete(rack.Bound(i));
  }
  world.Pass(absl::Minutes(1));
  CHECK(world.Report("team/train").bound == 3);
  CHECK(world.StateOf("team/train") != "Blocked");
}

TEST_CASE("Shrink: it comes before a whole gang, be that of a lesser priority") {
  FullRack rack(2);
  PlannerWorld& world = rack.world;
  rack.train.priority = 5;
  const JobSpec rigid = Gang("rigid", 1, 4);
  world.ShowJob(rigid, 0, 4);
  REQUIRE(TryAll(world, rigid, {0, 1, 2, 3}) == 4);
  world.ForgetEffects();
  world.ShowJob(Gang("high", 100, 2), 0, 2);
  CHECK(rack.Try() == std::vector<std::string>{"train-2-0", "train-3-0"});
}

TEST_CASE("Shrink: a gang whose rules count its members goes as a whole") {
  PlannerWorld world{Preempting()};
  world.AddNodes(MakeNodes(1, 1, 4));
  world.Sync();
  JobSpec train = ElasticJob("2");
  train.priority = 1;
  train.place = "rack=pack factor=2";
  world.ShowJob(train, 0, 4);
  for (int round = 0; round < 4; ++round) TryAll(world, train, {0, 1, 2, 3});
  REQUIRE(world.Report("team/train").bound == 4);
  world.ForgetEffects();
  world.ShowJob(Gang("high", 100, 1), 0, 1);
  CHECK(world.Take<PodDelete>().size() == 4);
}

TEST_CASE("Shrink: who has succeeded is not somebody that it can do without") {
  FullRack rack;
  PlannerWorld& world = rack.world;
  world.ShowFinished(rack.Bound(0), rack.nodes[0]);
  world.ShowBound(ForeignPod("there", 8, 100), rack.nodes[0]);
  REQUIRE(world.Report("team/train").bound == 3);
  world.ForgetEffects();
  SECTION("one is beyond its number") {
    world.ShowJob(Gang("high", 100, 1), 0, 1);
    CHECK(rack.Try() == std::vector<std::string>{"train-3-0"});
  }
  SECTION("two are not") {
    world.ShowJob(Gang("high", 100, 2), 0, 2);
    CHECK(rack.Try().size() == 3);  // all of it
  }
}

}  // namespace gangplan::shrink_test
