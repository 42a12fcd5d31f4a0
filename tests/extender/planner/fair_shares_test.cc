// Namespaces share room (queue.fairness: namespace): who has least comes first, and what that is.
#include "extender/planner/fair_shares.h"

#include "extender/frontends/gangplan/words.h"
#include "fmt/format.h"
#include "tests/extender/planner/shares_world.h"

namespace gangplan::fair_shares_test {
namespace {

// "many" has the whole cluster, and two more wait; then comes the first one of "few".
struct Flood : SharedWorld {
  std::vector<Gang> gangs;

  explicit Flood(PlannerOptions options) : SharedWorld(4, std::move(options)) {
    for (int i = 0; i < 4; ++i) Start(gangs.emplace_back(Of("many", fmt::format("runs-{}", i))));
    for (int i = 0; i < 2; ++i) Come(gangs.emplace_back(Of("many", fmt::format("waits-{}", i))));
    Second();
    Come(gangs.emplace_back(Of("few", "first")));
    Next(gangs);
  }
};

TEST_CASE("shares: who has nothing goes before a namespace that has everything, in each mode") {
  for (const QueueMode mode : {QueueMode::kGreedy, QueueMode::kStrict, QueueMode::kBackfill}) {
    INFO(static_cast<int>(mode));
    Flood fair(Shared(mode));
    fair.End(fair.gangs[0]);
    fair.Second();
    CHECK(fair.Next(fair.gangs) == "first");
    fair.End(fair.gangs[1]);
    fair.Second();
    CHECK(fair.Next(fair.gangs) == "waits-0");

    Flood by_age(Shared(mode, false));
    by_age.End(by_age.gangs[0]);
    by_age.Second();
    CHECK(by_age.Next(by_age.gangs) == "waits-0");
  }
}

TEST_CASE("shares: namespaces that have nothing take turns, whoever came first") {
  SharedWorld world(1);
  std::vector<SharedWorld::Gang> gangs = {SharedWorld::Of("other", "fills")};
  world.Start(gangs[0]);
  for (int i = 0; i < 3; ++i)
    world.Come(gangs.emplace_back(SharedWorld::Of("a", fmt::format("a{}", i))));
  for (int i = 0; i < 3; ++i)
    world.Come(gangs.emplace_back(SharedWorld::Of("b", fmt::format("b{}", i))));
  world.Next(gangs);
  std::string order;
  std::string runs = "fills";
  for (int turn = 0; turn < 6; ++turn) {
    for (const auto& gang : gangs)
      if (gang.job.name == runs) world.End(gang);
    runs = world.Next(gangs);
    order += runs + " ";
    for (const auto& gang : gangs)
      if (gang.job.name == runs) world.Bind(gang);
  }
  CHECK(order == "a0 b0 a1 b1 a2 b2 ");
}

TEST_CASE("shares: priority comes before them, and age within a namespace") {
  Flood world(Shared());
  world.Come(world.gangs.emplace_back(SharedWorld::Of("many", "urgent", 1, "", 10)));
  world.Come(world.gangs.emplace_back(SharedWorld::Of("few", "second")));
  world.Second();
  std::string order;
  for (int i = 0; i < 4; ++i) {
    world.End(world.gangs[static_cast<size_t>(i)]);
    order += world.Next(world.gangs) + " ";
    world.Second();
  }
  // "few" has a quarter with its first one, and "many" half and a gang that came first.
  CHECK(order == "urgent first second waits-0 ");
}

TEST_CASE("shares: that of the resource of which a namespace has most counts") {
  SharedWorld world(4);
  const auto gang = [](std::string ns, std::string_view name, int64_t gpus, int64_t cpu) {
    SharedWorld::Gang made = SharedWorld::Of(std::move(ns), name);
    made.job.gpus = gpus;
    made.job.cpu = cpu;
    return made;
  };
  world.Start(gang("gpu", "some-gpus", 8, 1'000));   // a quarter of the GPUs
  world.Start(gang("cpu", "many-cpus", 0, 64'000));  // a quarter of the cpu, and so again
  world.Start(gang("cpu", "more-cpus", 0, 64'000));
  const auto fills = gang("other", "fills", 8, 1'000);
  world.Start(fills);
  const auto cpu = gang("cpu", "next-cpu", 8, 1'000);
  const auto gpu = gang("gpu", "next-gpu", 8, 1'000);
  world.Come(cpu);
  world.Come(gpu);
  world.Second();
  CHECK(world.Report("cpu/next-cpu").share == "namespace cpu has 50.0 % of cpu");
  CHECK(world.Report("gpu/next-gpu").share == "namespace gpu has 25.0 % of example.com/gpu");
  world.End(fills);
  CHECK(world.Next({cpu, gpu}) == "next-gpu");
}

TEST_CASE("shares: who is held back, or could never stand, pushes nobody behind") {
  SharedWorld world(2);
  const auto fills = SharedWorld::Of("other", "fills", 2);
  world.Start(fills);
  SharedWorld::Gang held = SharedWorld::Of("a", "held", 2);
  SetWord(held.job.words, kHoldWord, "later");
  const SharedWorld::Gang never = SharedWorld::Of("a", "never", 3);
  const SharedWorld::Gang good = SharedWorld::Of("a", "good", 2);
  const SharedWorld::Gang other = SharedWorld::Of("b", "other", 2);
  for (const auto& gang : {held, never, good, other}) world.Come(gang);
  world.Second();
  world.End(fills);
  CHECK(world.Next({held, never, good, other}) == "good");  // it came first, and nobody has more
}

TEST_CASE("shares: what a gang that runs has lost comes before a new gang of who has less") {
  SharedWorld world(3, Shared(QueueMode::kStrict));
  const auto runs = SharedWorld::Of("many", "runs", 2);
  const auto fills = SharedWorld::Of("many", "fills", 1);
  world.Start(runs);
  world.Start(fills);
  const auto first = SharedWorld::Of("few", "first");
  world.Come(first);
  PodFacts lost = SharedWorld::PodOf(runs, 1);
  lost.node_name = world.Nodes("many/runs")[1];
  PodFacts again = JobPod(runs.job, 1, 1);
  again.ns = runs.ns;
  world.Show(again);
  world.Delete(lost);
  world.Second();
  CHECK_FALSE(world.HasRoom(first));
  CHECK(world.Passed(again) == lost.node_name);
}

TEST_CASE("shares: the first one for which room is kept stays the first") {
  SharedWorld world(4, Shared(QueueMode::kBackfill));
  const auto hour = SharedWorld::Of("many", "hour", 3, "1h");
  const auto day = SharedWorld::Of("many", "day", 1, "24h");
  world.Start(hour);
  world.Start(day);
  SharedWorld::Gang promised = SharedWorld::Of("many", "promised", 3);
  promised.created = 200;
  world.Come(promised);
  world.Second();
  REQUIRE(world.Report("many/promised").expected_by);
  const absl::Time by = *world.Report("many/promised").expected_by;
  SharedWorld::Gang first = SharedWorld::Of("few", "first", 3);
  first.created = 100;  // it has less, and is older
  world.Come(first);
  for (int i = 0; i < 10; ++i) world.Second();
  CHECK(world.Report("few/first").line_place == 2);
  REQUIRE(world.Report("many/promised").expected_by);
  CHECK(*world.Report("many/promised").expected_by == by);
  world.End(hour);
  world.Second();
  CHECK(world.Next({promised, first}) == "promised");
}

TEST_CASE("shares: they count from the time on that the configuration says so, and no longer") {
  Flood world(Shared(QueueMode::kStrict, false));
  const auto place = [&](std::string_view name) { return world.Report(name).line_place; };
  CHECK(place("many/waits-0") == 1);
  CHECK(place("few/first") == 3);
  CHECK(world.Report("few/first").share.empty());
  world.planner().Reconfigure(world.now(), Shared(QueueMode::kStrict));
  world.Second();
  CHECK(place("few/first") == 1);
  CHECK(place("many/waits-0") == 2);
  CHECK(world.Report("few/first").share == "namespace few has nothing yet");
  world.planner().Reconfigure(world.now(), Shared(QueueMode::kStrict, false));
  world.Second();
  CHECK(place("many/waits-0") == 1);
  CHECK(place("few/first") == 3);
}

TEST_CASE("shares: more gangs than are moved in one turn are in order after some turns") {
  constexpr int kGangs = 1'100;  // kPlacedAnew and some
  SharedWorld world(4, Shared(QueueMode::kStrict));
  const auto large = SharedWorld::Of("a", "large", 2);
  world.Start(large);
  world.Start(SharedWorld::Of("b", "small", 1));
  world.Start(SharedWorld::Of("c", "fills", 1));
  for (int i = 0; i < kGangs; ++i) world.Come(SharedWorld::Of("a", fmt::format("a{}", i)));
  const auto other = SharedWorld::Of("b", "other");
  world.Come(other);
  world.Second();
  CHECK(world.Report("b/other").line_place == 1);
  // "a" has nothing any more, and "b" a quarter: all of "a" stand by less than before.
  world.End(large);
  for (int i = 0; i < 5; ++i) world.Second();
  CHECK(world.HasRoom(other));
  CHECK(world.Report(fmt::format("a/a{}", kGangs - 1)).line_place == kGangs - 1);
  CHECK(world.planner().BrokenInvariant() == "");
}

}  // namespace
}  // namespace gangplan::fair_shares_test
