// What one input may cause, and who does the rest.
#include <utility>
#include <variant>

#include "extender/planner/limits.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::rounds_test {
namespace {

int CountPlanned(Planner& planner) {
  int planned = 0;
  for (const GroupReport& report : planner.List(0, kMaxGroups))
    planned += report.state == GroupState::kPlanned ? 1 : 0;
  return planned;
}

// Gangs of one pod set that all fit.
void ShowGangs(PlannerWorld& world, int gangs, int members) {
  for (int i = 0; i < gangs; ++i) {
    const JobSpec job{
        .name = fmt::format("g{:03}", i), .size = members, .gpus = 0, .place = "rack=pack"};
    world.ShowJob(job, 0, members);
  }
}

int CountNominations(Planner& planner) {
  int count = 0;
  for (const Effect& effect : planner.TakeEffects())
    count += std::holds_alternative<Nomination>(effect) ? 1 : 0;
  return count;
}

// One tick at least. Returns how many it took.
int TickUntilDone(PlannerWorld& world) {
  int ticks = 0;
  do {
    world.planner().Tick(world.now());
    ++ticks;
  } while (world.planner().busy() && ticks < 1'000);
  return ticks;
}

// Nodes that are all taken, and gangs of a node each that wait for them; a turn does little.
struct FullWorld : PlannerWorld {
  FullWorld(int nodes, int gangs) : PlannerWorld(WithShortTurns()) {
    AddNodes(MakeNodes(1, 1, nodes));
    Sync();
    for (int i = 0; i < nodes; ++i) ShowBound(Standing(i), NodeNameAt(0, 0, i));
    for (int i = 0; i < gangs; ++i)
      ShowJob({.name = fmt::format("g{:04}", i), .size = 1, .gpus = 8, .place = "node=pack!"}, 0,
              1);
    TickUntilDone(*this);
    REQUIRE(CountPlanned(planner()) == 0);
  }
  static PlannerOptions WithShortTurns() {
    PlannerOptions options = Options();
    options.round_work = 2'000;
    return options;
  }
  static PodFacts Standing(int node) { return ForeignPod(fmt::format("f{}", node), 8); }
  void Free(int node) { Delete(Standing(node)); }
};

}  // namespace

TEST_CASE("Rounds: what one input leaves is done by the ticks after it") {
  constexpr int kGangs = 400;
  PlannerWorld world;
  world.AddNodes(MakeNodes(2, 4, 8));
  ShowGangs(world, kGangs, 1);
  Planner& planner = world.planner();
  world.Sync();
  CHECK(planner.busy());
  int first = 0;
  for (int turns = 0; first == 0 && turns < 10; ++turns) {  // they join first, so many a turn
    planner.Tick(world.now());
    first = CountPlanned(planner);
  }
  CHECK(first > 0);
  CHECK(first < kGangs);
  CHECK(TickUntilDone(world) > 1);
  CHECK(CountPlanned(planner) == kGangs);
}

TEST_CASE("Rounds: an instance that becomes active plans and tells in pieces") {
  constexpr int kGangs = 100;
  constexpr int kMembers = 40;
  PlannerOptions options = PlannerWorld::Options();
  options.nominate_from = 1;  // every list is a sample: all are pointed to their nodes
  Planner planner(std::move(options));
  const absl::Time now = absl::FromUnixSeconds(1'000'000);
  for (const NodeFacts& node : MakeNodes(4, 4, 8)) REQUIRE(planner.OnNode(now, node).ok());
  planner.OnSynced(now);
  for (int i = 0; i < kGangs * kMembers; ++i) {
    PodFacts pod = ForeignPod(fmt::format("p{:04}", i), 0);
    SetWord(pod.annotations, "gangplan.io/group", fmt::format("g{}", i / kMembers));
    SetWord(pod.annotations, "gangplan.io/size", fmt::format("{}", kMembers));
    planner.OnPod(now, pod);
  }
  REQUIRE(CountPlanned(planner) == 0);  // another one plans
  planner.SetActive(now, true);
  int told = CountNominations(planner);
  CHECK(told < kGangs * kMembers);
  CHECK(planner.busy());
  for (int ticks = 0; planner.busy() && ticks < 100; ++ticks) {
    planner.Tick(now);
    told += CountNominations(planner);
  }
  CHECK(CountPlanned(planner) == kGangs);
  CHECK(told == kGangs * kMembers);
}

TEST_CASE("Rounds: an instance that stands by again stops telling") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(2, 4, 8));
  ShowGangs(world, 80, 32);
  world.Sync();
  Planner& planner = world.planner();
  planner.SetActive(world.now(), false);
  planner.SetActive(world.now(), true);
  planner.SetActive(world.now(), false);
  planner.TakeEffects();
  planner.Tick(world.now());
  CHECK(CountNominations(planner) == 0);
}

TEST_CASE("Rounds: a room that comes free while many wait reaches every one of them") {
  constexpr int kGangs = 3'000;
  constexpr int kPriorities = 7;
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 1));
  world.Sync();
  for (int i = 0; i < kGangs; ++i) {
    PodFacts pod = ForeignPod(fmt::format("w{:04}", i), 8, (i + 1) % kPriorities == 0 ? 1 : 0);
    SetWord(pod.annotations, "gangplan.io/group", fmt::format("w{:04}", i));
    SetWord(pod.annotations, "gangplan.io/size", "2");
    world.planner().OnPod(world.now(), pod);
  }
  TickUntilDone(world);
  for (int i = 1; i < 4; ++i) world.Put(MakeNode(0, 0, i));
  TickUntilDone(world);
  int planned = 0;
  for (const GroupReport& report : world.planner().List(0, kMaxGroups)) {
    if (report.state != GroupState::kPlanned && report.state != GroupState::kGathering) continue;
    ++planned;
    CHECK(report.id % kPriorities == 0);  // the greatest priority of all
  }
  CHECK(planned == 2);
}

TEST_CASE("Rounds: room that comes free while the groups are looked through goes to the first") {
  FullWorld world(8, 1'000);
  int started = 0;
  // How far the look has come when the next node comes free.
  for (const int ticks : {1, 2, 5, 9}) {
    world.Free(started);
    for (int i = 0; i < ticks; ++i) world.planner().Tick(world.now());
    CHECK(world.planner().busy());
    world.Free(started + 1);
    TickUntilDone(world);
    for (int i = 0; i < 2; ++i)
      CHECK(world.StateOf(fmt::format("team/g{:04}", started + i)) == "Planned");
    started += 2;
    CHECK(CountPlanned(world.planner()) == started);
  }
}

TEST_CASE("Rounds: rooms that come free one by one go to those who wait in their order") {
  constexpr int kNodes = 40;
  FullWorld world(kNodes, 300);
  for (int i = 0; i < kNodes; ++i) {
    world.Free(i);
    TickUntilDone(world);
    CHECK(world.StateOf(fmt::format("team/g{:04}", i)) == "Planned");
    REQUIRE(CountPlanned(world.planner()) == i + 1);
  }
}

TEST_CASE("Rounds: what was done for Events is not taken off the next input's round") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(10, 10, 20));
  world.Sync();
  for (int i = 0; i < 100; ++i) {
    const JobSpec job{
        .name = fmt::format("never{:03}", i), .size = 1, .gpus = 9, .place = "rack=pack"};
    world.ShowJob(job, 0, 1);
  }
  TickUntilDone(world);
  world.Take<ExplainGroup>();
  world.planner().Tick(world.now());
  const JobSpec job{.name = "small", .size = 1, .gpus = 1, .place = "rack=pack"};
  world.ShowJob(job, 0, 1);
  CHECK(world.StateOf("team/small") == "Planned");
}

}  // namespace gangplan::rounds_test
