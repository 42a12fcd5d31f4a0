// Who has a right to the room that a StatefulSet's pod leaves: whom its gang has already, whom it
// may still get, and who may take the whole of it.

#include "extender/planner/owner_key.h"
#include "tests/extender/planner/preemption_world.h"
#include "tests/extender/planner/returns_world.h"

namespace gangplan::returns_right_test {
namespace {

// Its set runs on the first nodes, and "low" on a node of its own.
struct WithLow : SetWorld {
  explicit WithLow(int32_t size, PlannerOptions options = Preempting())
      : SetWorld(size + 1, std::move(options), SetOf(size)) {
    Run(*this, Whole("low", 1));
    ForgetEffects();
  }
  // One of greater priority comes, of so many nodes. True: it makes nobody go, since what stops is
  // enough.
  bool AwaitsWhatStops(int32_t size) {
    const JobSpec high = Whole("high", size, 1000);
    ShowJob(high, 0, size);
    Pass(absl::Seconds(1));
    const bool asks = !Take<PodDelete>().empty();
    return !asks && Report("team/high").reason.find("pods that are stopping") != std::string::npos;
  }
};

// ---- members that are there come first

TEST_CASE("Returns: nothing is held while a member that is there waits for room") {
  SetWorld world(3, PlannerWorld::Options(), SetOf(3));
  const std::string room = world.NodeOf(2);
  const bool first = GENERATE(true, false);  // the set makes its pods in their order
  if (!first) world.Lose(2);
  const PodFacts lost = world.Pod(0);
  world.DeleteNode(world.NodeOf(0));
  world.Delete(lost);
  world.Show(world.Pod(0, 1));
  if (first) CHECK(world.Passed(world.Pod(0, 1)).empty());
  if (first) world.Lose(2);
  CHECK(world.Passed(world.Pod(0, 1)) == room);
  REQUIRE(world.Bind(world.Pod(0, 1), room).decision.held);
  CHECK(world.BindAll() == 1);
  CHECK(world.HoldCount() == 0);
}

// ---- nothing is promised where nothing can be held

TEST_CASE("Returns: a set that was scaled down is promised nothing beyond its new size") {
  WithLow world(4);
  world.Lose(3);
  world.Scale(2);
  CHECK(world.HoldCount() == 0);
  Run(world, Whole("fill", 1));
  world.Stop(2);
  CHECK(world.AwaitsWhatStops(1));
}

TEST_CASE("Returns: what was promised beyond the new size is promised no more") {
  WithLow world(4);
  world.Stop(3);
  world.Lose(0);
  CHECK(world.HoldCount() == 1);
  world.Scale(3);
  CHECK(world.HoldCount() == 1);
  CHECK(world.AwaitsWhatStops(1));
}

TEST_CASE("Returns: two pods of which one is to come again have one node between them") {
  SetWorld world(4, PlannerWorld::Options(), SetOf(4));
  world.Stop(0);
  world.Stop(1);
  world.Scale(3);
  world.Delete(world.Pod(0));
  world.Delete(world.Pod(1));
  CHECK(world.HoldCount() == 1);
}

TEST_CASE("Returns: nothing is promised beyond what the namespace may hold for nobody") {
  PlannerOptions options = Preempting();
  options.vacant_share = 25;
  WithLow world(2, options);
  world.Stop(1);
  CHECK(world.AwaitsWhatStops(1));
}

TEST_CASE("Returns: nothing is promised while a member that is there waits for room") {
  WithLow world(3);
  const PodFacts lost = world.Pod(0);
  const bool before = GENERATE(true, false);
  if (!before) world.Stop(2);
  world.DeleteNode(world.NodeOf(0));
  world.Delete(lost);
  world.Show(world.Pod(0, 1));
  if (before) world.Stop(2);
  CHECK(world.AwaitsWhatStops(1));
}

TEST_CASE("Returns: a gang of which nobody lives any more is promised nothing") {
  WithLow world(2);
  const bool before = GENERATE(true, false);
  const std::string node = world.NodeOf(0);
  if (before) world.ShowFinished(world.Pod(0), node);
  world.Stop(1);
  if (!before) world.ShowFinished(world.Pod(0), node);
  CHECK(world.AwaitsWhatStops(2));
}

// ---- when it ends

TEST_CASE("Returns: an owner of another namespace that is gone is not the set's") {
  SetWorld world;
  world.Lose(1);
  REQUIRE(world.HoldCount() == 1);
  PodFacts stranger = world.Pod(7);
  stranger.ns = "other";
  stranger.uid = "stranger";
  world.answer_owners = false;
  world.Show(stranger);
  const auto gone = [&](std::string_view ns) {
    world.planner().OnOwner(world.now(), OwnerKey(ns, world.owner.ref.uid),
                            absl::NotFoundError("no such set"));
    REQUIRE(world.planner().BrokenInvariant() == "");
  };
  gone("other");
  CHECK(world.HoldCount() == 1);
  gone("team");
  CHECK(world.HoldCount() == 0);
}

TEST_CASE("Returns: a gang of which nobody is known to run any more keeps nothing") {
  SetWorld world(3, PlannerWorld::Options(), SetOf(3));
  world.Lose(1);
  const std::string node = world.NodeOf(2);
  world.Lose(2);
  world.Show(world.Pod(2, 1));
  REQUIRE(world.Passed(world.Pod(2, 1)) == node);
  REQUIRE(world.Bind(world.Pod(2, 1), node).decision.held);  // and its Binding is on its way
  REQUIRE(world.HoldCount() == 2);
  world.Stop(0);
  CHECK(world.HoldCount() == 1);
  CHECK(world.BindAll() == 1);
  CHECK(world.planner().BrokenInvariant() == "");
}

TEST_CASE("Returns: nothing is kept in a rack where the others do not stand any more") {
  SetWorld world;
  world.Stop(1);
  NodeFacts node = MakeNode(0, 0, world.NodeOf(0).back() - '0');
  SetWord(node.labels, "example.com/rack", "r1");
  world.Put(node);
  world.Delete(world.Pod(1));
  CHECK(world.HoldCount() == 0);
}

// Two pods a slice, and a slice on one node.
JobSpec SlicesOf(int32_t size) {
  JobSpec set = SetOf(size, 4);
  set.place = "";
  set.words = {{"kueue.x-k8s.io/podset-required-topology", "example.com/rack"},
               {"kueue.x-k8s.io/podset-slice-required-topology", "kubernetes.io/hostname"},
               {"kueue.x-k8s.io/podset-slice-size", "2"}};
  return set;
}

TEST_CASE("Returns: what a plan holds where a pod had come back is the plan's") {
  SetWorld world(3, PlannerWorld::Options(), SlicesOf(4));
  const std::string node = world.NodeOf(0);
  REQUIRE(world.NodeOf(1) == node);
  world.Lose(1);
  REQUIRE(world.HoldCount() == 1);
  world.Show(world.Pod(1, 1));
  REQUIRE(Try(world, world.Pod(1, 1)));
  REQUIRE(world.BindAll() == 1);
  world.DeleteNode(node);
  world.Delete(world.Pod(0));
  world.Delete(world.Pod(1, 1));
  world.Show(world.Pod(0, 1));
  REQUIRE(world.HoldCount() == 2);  // a slice is placed as a whole
  world.planner().OnOwner(world.now(), OwnerKey("team", world.owner.ref.uid),
                          absl::NotFoundError("no such set"));
  CHECK(world.HoldCount() == 2);
}

// ---- the line for room

TEST_CASE("Returns: a pod that hangs and was to end is nobody's room but its gang's") {
  PlannerOptions options = PlannerWorld::Options();
  options.queue_mode = QueueMode::kBackfill;
  SetWorld world(2, options);
  PodFacts pods[] = {world.Bound(0), world.Bound(1)};
  for (int i : {0, 1}) {
    pods[i].run = {absl::ToUnixSeconds(world.now()), i == 0 ? 7'200 : 3'600, 5};
    world.Show(pods[i]);
  }
  world.ShowTerminating(pods[1]);
  world.Pass(absl::Minutes(20));
  world.Waiting();
  for (int i = 0; i < 10; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.Report("team/late").reservation.find("gang team/shard has ended") !=
        std::string::npos);
}

TEST_CASE("Returns: the first in line counts on the gang's end, not on a pod that comes again") {
  PlannerOptions options = PlannerWorld::Options();
  options.queue_mode = QueueMode::kBackfill;
  SetWorld world(2, options);
  for (int i : {0, 1}) {
    PodFacts pod = world.Bound(i);
    pod.run = {absl::ToUnixSeconds(world.now()), i == 0 ? 7'200 : 3'600, 5};
    world.Show(pod);
  }
  const std::string node = world.NodeOf(1);
  const JobSpec late = world.Waiting();
  for (int i = 0; i < 10; ++i) world.Pass(absl::Seconds(1));
  REQUIRE(world.Report("team/late").reservation.find("gang team/shard has ended") !=
          std::string::npos);
  const bool at_once = GENERATE(true, false);
  if (!at_once) world.Stop(1);
  if (!at_once) world.Pass(absl::Seconds(2));
  world.Delete(world.Pod(1));
  for (int i = 0; i < 3; ++i) world.Pass(absl::Seconds(1));
  CHECK(world.Passed(JobPod(late, 0)).empty());
  world.Show(world.Pod(1, 1));
  CHECK(world.Passed(world.Pod(1, 1)) == node);
}

// Nobody knows when the gang ends.
TEST_CASE("Returns: what a pod that stops leaves goes with its gang, for the first in line") {
  PlannerOptions options = PlannerWorld::Options();
  options.queue_mode = QueueMode::kBackfill;
  SetWorld world(3, options);
  const std::string node = world.NodeOf(1);
  const JobSpec first = Whole("first", 3), second = Whole("second", 1);
  const auto passes = [&] {
    for (int i = 0; i < 12; ++i) world.Pass(absl::Seconds(1));
    return !world.Passed(JobPod(second, 0)).empty();
  };
  world.ShowJob(first, 0, 3);
  world.ShowJob(second, 0, 1);
  REQUIRE_FALSE(passes());
  world.Stop(1);
  CHECK_FALSE(passes());
  world.Delete(world.Pod(1));
  CHECK_FALSE(passes());
  world.Show(world.Pod(1, 1));
  CHECK(world.Passed(world.Pod(1, 1)) == node);
  CHECK_FALSE(passes());
}

// ---- what a namespace holds for nobody

// A gang of two whole nodes of which one pod is there.
std::string HalfThere(PlannerWorld& world) {
  world.ShowJob(Whole("half", 2), 0, 1);
  return world.StateOf("team/half");
}

TEST_CASE("Returns: room that is given up with its node counts for its namespace no more") {
  PlannerOptions options = PlannerWorld::Options();
  options.vacant_share = 25;
  SetWorld world(5, options);
  NodeFacts node = MakeNode(0, 0, world.NodeOf(1).back() - '0');
  world.Lose(1);
  REQUIRE(world.HoldCount() == 1);
  node.unschedulable = true;
  world.Put(node);
  CHECK(world.HoldCount() == 0);
  CHECK(HalfThere(world) == "Gathering");
}

TEST_CASE("Returns: room that a smaller set does not need counts for its namespace no more") {
  PlannerOptions options = PlannerWorld::Options();
  options.vacant_share = 25;
  SetWorld world(8, options, SetOf(4));
  world.Lose(3);
  world.Lose(2);
  REQUIRE(world.HoldCount() == 2);
  world.Scale(3);
  REQUIRE(world.HoldCount() == 1);
  CHECK(HalfThere(world) == "Gathering");
}

TEST_CASE("Returns: a larger template counts for its namespace before its room is held on") {
  PlannerOptions options = PlannerWorld::Options();
  options.vacant_share = 19;
  SetWorld world(2, options, SetOf(4, 1));
  for (int i = 1; i < 4; ++i) world.Lose(i);
  REQUIRE(world.HoldCount() == 3);  // 3 of 16
  PodFacts next = world.Pod(1, 1);
  next.requests = JobPod(JobSpec{.gpus = 2}, 0).requests;
  world.Show(next);
  CHECK(world.HoldCount() == 1);
  CHECK_FALSE(world.Passed(next).empty());
}

}  // namespace
}  // namespace gangplan::returns_right_test
