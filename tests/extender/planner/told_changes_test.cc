// What is told of each step in a gang's life, for the log, the metrics and the Events.
#include <algorithm>

#include "extender/planner/effects.h"
#include "extender/planner/event_reasons.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::told_changes_test {
namespace {

std::string Steps(const std::vector<GangChange>& changes) {
  std::string text;
  for (const GangChange& change : changes) {
    text += fmt::format("{}>{} ", Name(change.before), change.gone ? "gone" : Name(change.after));
  }
  return text;
}

JobSpec TwoNodes() { return {.name = "train", .size = 2, .gpus = 8, .place = "rack=pack!"}; }

void StartWhole(PlannerWorld& world, const JobSpec& job) {
  for (int i = 0; i < job.size; ++i) world.FilterAndBind(JobPod(job, i));
  world.BindAll();
}

TEST_CASE("Changes: a gang that starts is told step by step, planned and started with an Event") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Sync();
  world.ShowJob(TwoNodes(), 0, 2);
  world.Pass(absl::Seconds(7));
  StartWhole(world, TwoNodes());
  const auto changes = world.Take<GangChange>();
  CHECK(Steps(changes) == "New>Gathering Gathering>Planned Planned>Binding Binding>Running ");
  REQUIRE(changes.size() == 4);
  CHECK(changes[0].gang == "team/train");
  CHECK(changes[0].waited == absl::ZeroDuration());
  CHECK_FALSE(changes[0].took);
  REQUIRE(changes[0].event);
  CHECK(changes[0].event->reason == kGangPlanned);
  CHECK_FALSE(changes[0].event->warning);
  CHECK(changes[0].event->regarding.name == "train");
  CHECK(changes[0].event->note == "room for 2 pods in b0/r0 on 2 nodes");
  CHECK_FALSE(changes[1].event);
  CHECK_FALSE(changes[2].event);
  CHECK_FALSE(changes[3].waited);
  CHECK(changes[3].took == absl::Seconds(7));
  REQUIRE(changes[3].event);
  CHECK(changes[3].event->reason == kGangStarted);
  CHECK(changes[3].event->note == "2 pods in b0/r0 on 2 nodes");
  CHECK(changes[3].bound == 2);
}

TEST_CASE("Changes: who waits, and is tried in between, is told so once, and how long it was") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 3));
  world.Sync();
  const PodFacts first = ForeignPod("first", 8), second = ForeignPod("second", 8);
  world.ShowBound(first, "b0-r0-n0");
  world.ShowBound(second, "b0-r0-n1");
  world.ShowJob(TwoNodes(), 0, 2);
  auto changes = world.Take<GangChange>();
  CHECK(Steps(changes) == "New>Blocked ");
  CHECK(changes.at(0).why.find("2 members must share one rack") != std::string::npos);
  world.Put(MakeNode(0, 0, 3, 4));  // more, and not enough
  world.Pass(absl::Seconds(30));
  CHECK(Steps(world.Take<GangChange>()).empty());
  world.Delete(first);
  world.Pass(absl::Seconds(1));
  changes = world.Take<GangChange>();
  REQUIRE(Steps(changes) == "Blocked>Planned ");
  CHECK(changes[0].waited >= absl::Seconds(30));
  CHECK(changes[0].waited <= absl::Seconds(31));
}

TEST_CASE("Changes: a gang that leaves without a plan has waited for nothing") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  world.ShowBound(ForeignPod("other", 8), "b0-r0-n0");
  world.ShowJob(TwoNodes(), 0, 2);
  world.Pass(absl::Seconds(40));
  world.ForgetEffects();
  for (int i = 0; i < 2; ++i) world.Delete(JobPod(TwoNodes(), i));
  const auto changes = world.Take<GangChange>();
  REQUIRE_FALSE(changes.empty());
  CHECK(changes.back().gone);
  CHECK(changes.back().waited >= absl::Seconds(40));
  CHECK_FALSE(changes.back().event);
}

TEST_CASE("Changes: each plan is told with an Event, and the wait for the first one alone") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Sync();
  world.ShowJob(TwoNodes(), 0, 1);
  world.Pass(absl::Seconds(1));
  world.ForgetEffects();
  world.Pass(absl::Minutes(6));  // its room is given back
  REQUIRE(world.StateOf("team/train") == "Released");
  world.ForgetEffects();
  world.Show(JobPod(TwoNodes(), 1));
  const auto changes = world.Take<GangChange>();
  REQUIRE(Steps(changes).find(">Planned") != std::string::npos);
  CHECK_FALSE(changes.back().waited);
  REQUIRE(changes.back().event);
  CHECK(changes.back().event->reason == kGangPlanned);
}

TEST_CASE("Changes: what a restart finds running has neither waited nor started") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  world.ShowJob(TwoNodes(), 0, 2);
  StartWhole(world, TwoNodes());
  world.Restart();
  world.Sync();
  world.Pass(absl::Seconds(2));
  for (const GangChange& change : world.Take<GangChange>()) {
    CHECK_FALSE(change.waited);
    CHECK_FALSE(change.took);
    CHECK_FALSE(change.event);
  }
}

TEST_CASE("Waits: the longest one is told by whether there would be room anywhere") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 2, 2));
  world.Sync();
  for (int rack = 0; rack < 2; ++rack)
    world.ShowBound(ForeignPod(fmt::format("f{}", rack), 8), NodeNameAt(0, rack, 0));
  CHECK_FALSE(world.planner().Stats().waits_with_room);
  const absl::Time begun = world.now();
  world.ShowJob(TwoNodes(), 0, 2);  // a node is free in either rack
  world.Pass(absl::Minutes(1));
  JobSpec large = TwoNodes();
  large.name = "large";
  large.place = "block=pack!";
  large.size = 3;
  world.ShowJob(large, 0, 3);
  const PlannerStats stats = world.planner().Stats();
  CHECK(stats.waits_with_room == begun);
  CHECK(stats.waits_without == begun + absl::Minutes(1));
}

TEST_CASE("Waits: of pods of many kinds nobody is said to have room in a full cluster") {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 2));
  world.Sync();
  for (int node = 0; node < 2; ++node)
    world.ShowBound(ForeignPod(fmt::format("f{}", node), 8), NodeNameAt(0, 0, node));
  const absl::Time begun = world.now();
  for (int i = 0; i < 6; ++i) {
    JobSpec job = TwoNodes();
    job.name = fmt::format("kind-{}", i);
    job.cpu += i;
    world.ShowJob(job, 0, 2);
    REQUIRE(world.StateOf("team/" + job.name) == "Blocked");
    world.Pass(absl::Seconds(10));
  }
  const PlannerStats stats = world.planner().Stats();
  CHECK(stats.waits_without == begun);
  CHECK_FALSE(stats.waits_with_room);
}

// Levels that come from an object, by which a gang of two whole nodes has a plan and its Bindings
// are on their way.
struct LiveWorld : PlannerWorld {
  static PlannerOptions Live() {
    PlannerOptions options = Options();
    options.topologies[0].live = "levels";
    return options;
  }
  LiveWorld() : PlannerWorld(Live()) {
    planner().OnTopology(now(), ThreeLevels());
    AddNodes(MakeNodes(1, 2, 2));
    Sync();
    ShowJob(TwoNodes(), 0, 2);
    for (int i = 0; i < 2; ++i) FilterAndBind(JobPod(TwoNodes(), i));
  }
  // Racks and nodes alone.
  void TakeTheBlocks() {
    Topology levels = ThreeLevels();
    levels.levels.erase(levels.levels.begin());
    REQUIRE(planner().OnTopology(now(), levels));
    REQUIRE(planner().BrokenInvariant() == "");
  }
};

TEST_CASE("Changes: how good a plan was is told by its own levels alone") {
  LiveWorld world;
  world.BindAll();
  REQUIRE(world.Report("team/train").quality);
  world.TakeTheBlocks();
  CHECK(world.StateOf("team/train") == "Running");
  CHECK_FALSE(world.Report("team/train").quality);
}

TEST_CASE("Changes: a gang that goes while it is to be read anew is told gone, and no other one") {
  LiveWorld world;
  const auto posts = world.Take<BindingWrite>();
  REQUIRE(posts.size() == 2);
  world.TakeTheBlocks();
  world.ForgetEffects();
  int32_t gone = 0;
  SECTION("it goes") {
    for (int i = 0; i < 2; ++i) world.Delete(JobPod(TwoNodes(), i));
    for (const BindingWrite& post : posts) world.Settle(post, BindOutcome::kGone);
    gone = 1;
  }
  SECTION("it stays") {
    for (const BindingWrite& post : posts) world.Settle(post, BindOutcome::kBound);
  }
  world.Pass(absl::Seconds(1));
  for (const GangChange& change : world.Take<GangChange>()) gone -= change.gone ? 1 : 0;
  CHECK(gone == 0);
}

}  // namespace
}  // namespace gangplan::told_changes_test
