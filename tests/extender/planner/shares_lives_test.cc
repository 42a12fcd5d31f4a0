// What fair shares promise, tried where it is hard: gangs that run and lose, promises behind
// others, a restart, and gangs that only claim to wait.
#include <ctime>

#include "extender/frontends/gangplan/words.h"
#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/extender/planner/shares_world.h"
#include "topology/implied_resource.h"
#include "topology/resources.h"

namespace gangplan::shares_lives_test {
namespace {

using Gang = SharedWorld::Gang;

Gang Made(Gang gang, int64_t created) {
  gang.created = created;
  return gang;
}

TEST_CASE("shares: what a gang has lost comes before an older gang of who has nothing") {
  SharedWorld world(3, Shared(GENERATE(QueueMode::kGreedy, QueueMode::kStrict)));
  const Gang runs = Made(SharedWorld::Of("many", "runs", 2), 200);
  const Gang fills = Made(SharedWorld::Of("many", "fills", 1), 200);
  world.Start(runs);
  world.Start(fills);
  const Gang first = Made(SharedWorld::Of("few", "first"), 100);
  world.Come(first);
  PodFacts lost = SharedWorld::PodOf(runs, 1);
  lost.node_name = world.Nodes("many/runs")[1];
  PodFacts again = JobPod(runs.job, 1, 1);
  again.ns = runs.ns;
  again.created = 300;
  world.Show(again);
  world.Delete(lost);
  world.Second();
  CHECK_FALSE(world.HasRoom(first));
  CHECK(world.Passed(again) == lost.node_name);
}

// Its node is gone, and another one comes.
TEST_CASE("shares: what a gang has lost comes before an older gang also when room comes later") {
  SharedWorld world(3, Shared(GENERATE(QueueMode::kGreedy, QueueMode::kStrict)));
  const Gang runs = Made(SharedWorld::Of("many", "runs", 2), 200);
  const Gang fills = Made(SharedWorld::Of("many", "fills", 1), 200);
  world.Start(runs);
  world.Start(fills);
  const Gang first = Made(SharedWorld::Of("few", "first"), 100);
  world.Come(first);
  PodFacts lost = SharedWorld::PodOf(runs, 1);
  lost.node_name = world.Nodes("many/runs")[1];
  PodFacts again = JobPod(runs.job, 1, 1);
  again.ns = runs.ns;
  again.created = 300;
  NodeFacts node = MakeNode(0, 0, lost.node_name.back() - '0');
  node.unschedulable = true;
  world.Put(node);
  world.Show(again);
  world.Delete(lost);
  world.Second();
  REQUIRE_FALSE(world.HasRoom(first));
  node.unschedulable = false;
  world.Put(node);
  world.Second();
  CHECK_FALSE(world.HasRoom(first));
  CHECK(world.Passed(again) == lost.node_name);
}

TEST_CASE("shares: a promise holds also when an urgent gang comes between") {
  SharedWorld world(4, Shared(QueueMode::kBackfill));
  const Gang hour = SharedWorld::Of("many", "hour", 3, "1h");
  const Gang day = SharedWorld::Of("many", "day", 1, "24h");
  world.Start(hour);
  world.Start(day);
  const Gang promised = Made(SharedWorld::Of("many", "promised", 3), 200);
  world.Come(promised);
  world.Second();
  REQUIRE(world.Report("many/promised").expected_by);
  const Gang first = Made(SharedWorld::Of("few", "first", 3), 100);
  world.Come(first);
  const Gang urgent = SharedWorld::Of("other", "urgent", 3, "1h", 10);
  world.Come(urgent);
  world.Second();
  REQUIRE(world.Report("other/urgent").expected_by);
  CHECK(world.Report("many/promised").line_place == 2);
  world.End(day);  // "many" has less
  for (int i = 0; i < 3; ++i) world.Second();
  CHECK(world.Report("many/promised").line_place == 2);
  world.End(hour);
  world.Second();
  REQUIRE(world.HasRoom(urgent));
  world.Bind(urgent);
  world.End(urgent);
  world.Second();
  CHECK(world.Next({promised, first}) == "promised");
}

TEST_CASE("shares: who was told that nothing can be kept for it stands by its share") {
  SharedWorld world(4, Shared(QueueMode::kBackfill));
  world.Foreign("endless", 8, "b0-r0-n0");
  const Gang hour = SharedWorld::Of("many", "hour", 2, "1h");
  const Gang rest = SharedWorld::Of("other", "rest", 1, "24h");
  world.Start(hour);
  world.Start(rest);
  const Gang wide = Made(SharedWorld::Of("many", "wide", 4), 200);
  world.Come(wide);
  for (int i = 0; i < 10; ++i) world.Second();
  INFO(world.Report("many/wide").reservation);
  REQUIRE_FALSE(world.Report("many/wide").expected_by);
  const Gang first = Made(SharedWorld::Of("few", "first", 2), 300);
  world.Come(first);
  for (int i = 0; i < 20; ++i) world.Second();
  INFO(world.Report("few/first").reservation);
  CHECK(world.Report("few/first").line_place == 1);
  CHECK(world.Report("few/first").expected_by);
}

// Pods that tell all of their gang: nobody is read for them.
PodFacts Telling(std::string ns, std::string_view name, int64_t created) {
  PodFacts pod = ForeignPod(name, 8);
  pod.ns = std::move(ns);
  pod.uid = fmt::format("{}/{}", pod.ns, pod.name);
  pod.created = created;
  SetWord(pod.annotations, "gangplan.io/group", name);
  SetWord(pod.annotations, "gangplan.io/size", "1");
  SetWord(pod.annotations, "gangplan.io/place", "rack=pack!");
  return pod;
}

TEST_CASE("shares: a restart goes on by what namespaces have, however many wait") {
  const int waiting = GENERATE(1, 1'100);  // kPlacedAnew and some
  const QueueMode mode = GENERATE(QueueMode::kGreedy, QueueMode::kStrict);
  SharedWorld world(2, Shared(mode));
  PodFacts runs = Telling("many", "runs", 10);
  world.Show(runs);
  runs.node_name = world.FilterAndBind(runs);
  REQUIRE(world.BindAll() == 1);
  world.Restart();
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Show(runs);
  for (int i = 0; i < waiting; ++i) world.Show(Telling("many", fmt::format("w{}", i), 20));
  world.Show(Telling("few", "first", 30));
  world.Sync();
  for (int i = 0; i < 20; ++i) world.Pass(absl::Milliseconds(50));
  CHECK(world.Report("few/first").state == GroupState::kPlanned);
  CHECK(world.Report("many/w0").state == GroupState::kBlocked);
}

TEST_CASE("shares: a size that is only claimed pushes nobody of its namespace behind") {
  SharedWorld world(8);
  const Gang fills = SharedWorld::Of("other", "fills", 2);
  world.Start(fills);
  world.Start(SharedWorld::Of("other", "rest", 3));
  world.Start(SharedWorld::Of("b", "some", 3));
  const Gang claims = SharedWorld::Of("a", "claims", 6);
  OwnerFacts owner = JobOwner(claims.job);
  owner.ns = claims.ns;
  world.Register(owner);
  world.Show(SharedWorld::PodOf(claims, 0));  // an eighth of the cluster, and no more comes
  const Gang other = SharedWorld::Of("b", "other", 2);
  const Gang good = SharedWorld::Of("a", "good", 2);
  world.Come(other);
  world.Come(good);
  world.Second();
  world.Second();
  world.End(fills);
  world.Second();
  CHECK(world.Next({good, other}) == "good");
}

TEST_CASE("shares: a gang whose room was given back pushes nobody of its namespace behind") {
  SharedWorld world(4);
  const Gang some = SharedWorld::Of("b", "some", 1);
  world.Start(some);
  const Gang gave = SharedWorld::Of("a", "gave", 3);
  world.Come(gave);
  REQUIRE(world.HasRoom(gave));
  for (int i = 0; i < 20 && world.HasRoom(gave); ++i) world.Pass(absl::Minutes(1));
  INFO(world.Report("a/gave").reason);
  REQUIRE_FALSE(world.HasRoom(gave));
  const Gang fills = SharedWorld::Of("other", "fills", 3);
  world.Start(fills);
  const Gang other = SharedWorld::Of("b", "other", 2);
  const Gang good = SharedWorld::Of("a", "good", 2);
  world.Come(other);
  world.Come(good);
  world.Second();
  world.Second();
  world.End(fills);
  world.Second();
  CHECK(world.Next({good, other}) == "good");
}

TEST_CASE("shares: who could never stand comes by its age where a node comes that will do") {
  SharedWorld world(2, Shared(GENERATE(QueueMode::kGreedy, QueueMode::kStrict)));
  world.Start(SharedWorld::Of("other", "fills", 2));
  Gang large = Made(SharedWorld::Of("a", "large", 1), 100);
  large.job.gpus = 16;
  world.Come(large);
  REQUIRE(world.Report("a/large").outcome == Outcome::kImpossible);
  const Gang young = Made(SharedWorld::Of("a", "young", 1), 200);
  world.Come(young);
  world.Second();
  world.Put(MakeNode(0, 1, 0, 16));
  world.Some();
  CHECK(world.Next({young, large}) == "large");
}

// As one whose pods keep off each other's nodes: what that is called is the Job's own.
TEST_CASE("shares: words of its own make no gang of a namespace costly for all others") {
  constexpr int kGangs = 1'500;
  const auto cost = [](bool own) {
    Planner planner(Shared());
    absl::Time now = absl::FromUnixSeconds(1'000'000);
    for (const NodeFacts& node : MakeNodes(1, 1, 1)) REQUIRE(planner.OnNode(now, node).ok());
    planner.SetActive(now, true);
    planner.OnSynced(now);
    PodFacts runs = Telling("other", "runs", 1);
    runs.node_name = NodeNameAt(0, 0, 0);
    planner.OnPod(now, runs);
    for (int i = 0; i < kGangs; ++i) {
      PodFacts pod = Telling("many", fmt::format("g{}", i), 10);
      if (own) AddResources(pod.requests, {{ApartFrom(pod.name), kWholeNode}});
      planner.OnPod(now, pod);
    }
    for (int i = 0; i < 100; ++i)
      planner.Tick(now += absl::Milliseconds(20)), planner.TakeEffects();
    planner.OnPodDeleted(now, runs.uid);
    const std::clock_t from = std::clock();
    for (int i = 0; i < 5; ++i) {
      planner.OnPod(now, runs), planner.Tick(now += absl::Seconds(1));
      planner.OnPodDeleted(now, runs.uid), planner.Tick(now += absl::Seconds(1));
      planner.TakeEffects();
    }
    return static_cast<double>(std::clock() - from) / CLOCKS_PER_SEC;
  };
  const double same = cost(false), own = cost(true);
  INFO(same << " s, " << own << " s");
  CHECK(own < 4 * same + 0.01);
}

TEST_CASE("shares: who has how much follows the cluster") {
  SharedWorld world(2);
  world.Start(SharedWorld::Of("a", "one", 1));
  world.Start(SharedWorld::Of("b", "two", 1));
  const Gang waits = SharedWorld::Of("a", "waits", 2);
  world.Come(waits);
  world.Second();
  CHECK(world.Report("a/waits").share == "namespace a has 50.0 % of example.com/gpu");
  NodeFacts node = MakeNode(0, 1, 0, 16);
  node.taints.push_back({"example.com/x", "", TaintEffect::kNoSchedule});
  world.Put(node);
  for (int i = 0; i < 5; ++i) world.Second();
  CHECK(world.Report("a/waits").share == "namespace a has 25.0 % of example.com/gpu");
}

}  // namespace
}  // namespace gangplan::shares_lives_test
