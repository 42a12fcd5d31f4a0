// The lines for room of several topologies, and the copies on which they are asked: one at a time
// for all.
#include <memory>
#include <utility>
#include <variant>

#include "extender/frontends/gangplan/words.h"
#include "extender/planner/solve_task.h"
#include "tests/extender/planner/topologies_world.h"

namespace gangplan::topologies_line_test {
namespace {

// One of two pods; mixed, it is asked on a copy.
PodFacts OneOfTwo(std::string_view group, int index, bool mixed, std::string_view topology) {
  PodFacts pod = ForeignPod(fmt::format("{}-{}", group, index), mixed && index == 0 ? 4 : 8);
  SetWord(pod.annotations, "gangplan.io/group", group);
  SetWord(pod.annotations, kTopologyWord, topology);
  SetWord(pod.annotations, "gangplan.io/place", topology == "racks" ? "rack=pack!" : "ring=pack!");
  if (!mixed) SetWord(pod.annotations, "gangplan.io/size", "2");
  if (mixed) SetWord(pod.annotations, "gangplan.io/pod-sets", "leader=1,workers=1");
  if (mixed) SetWord(pod.annotations, "gangplan.io/pod-set", index == 0 ? "leader" : "workers");
  return pod;
}

// The test carries the copies out itself.
struct Desk {
  Planner planner;
  absl::Time now = absl::FromUnixSeconds(1'000'000);

  explicit Desk(PlannerOptions options) : planner(std::move(options)) {
    for (const NodeFacts& node : AllNodes()) REQUIRE(planner.OnNode(now, node).ok());
    planner.SetActive(now, true);
    planner.OnSynced(now);
  }
  void Come(std::string_view group, bool mixed, std::string_view topology) {
    for (int i : {0, 1}) planner.OnPod(now, OneOfTwo(group, i, mixed, topology));
  }
  void Take(const std::string& node, int64_t seconds = 0) {
    PodFacts pod = ForeignPod("on-" + node, 8);
    pod.scheduler_name = "default-scheduler";
    pod.node_name = node;
    if (seconds > 0) pod.run = {absl::ToUnixSeconds(now), seconds, 5};
    planner.OnPod(now, pod);
  }
  void Pass() {
    now += absl::Milliseconds(50);
    planner.Tick(now);
  }
  // The one that is to be solved, and is then; of which group it is.
  std::string Solve() {
    std::shared_ptr<SolveTask> task;
    for (Effect& effect : planner.TakeEffects()) {
      if (auto* solve = std::get_if<SolveOnCopy>(&effect)) task = std::move(solve->task);
    }
    if (task == nullptr) return {};
    task->Run();
    planner.OnSolved(now, *task);
    CHECK(planner.BrokenInvariant() == "");
    return planner.Report(task->group)->name;
  }
};

TEST_CASE("Topologies: questions of one keep nobody waiting for a place in another's line") {
  PlannerOptions options = RacksAndRings();
  options.queue_mode = QueueMode::kBackfill;
  options.leaves_of_several = 0;
  Desk desk(std::move(options));
  for (const char* node : {"x-0", "y-0"}) desk.Take(node);
  for (const char* node : {"b0-r0-n0", "b0-r1-n0"}) desk.Take(node, 3'600);
  // Nothing can be kept for the first one in the rings: others pass.
  desk.Come("ringed", false, "rings");
  for (int i = 0; i < 3; ++i) {
    desk.Pass();
    desk.Solve();
  }
  REQUIRE(desk.planner.Report("team/ringed")->reservation.starts_with("no room can be kept"));
  for (const char* name : {"a", "b", "c", "d"}) desk.Come(name, true, "rings");
  desk.Come("racked", false, "racks");
  desk.Pass();
  REQUIRE(desk.planner.Report("team/racked")->line_place == 1);
  std::vector<std::string> asked;
  for (int i = 0; i < 2; ++i) {
    asked.push_back(desk.Solve());
    desk.Pass();
  }
  CHECK(asked[1] == "team/racked");
  CHECK(desk.planner.Report("team/racked")->expected_by);
  // The others have their turns then.
  for (int i = 0; i < 3; ++i) {
    asked.push_back(desk.Solve());
    desk.Pass();
  }
  CHECK(asked[2] == "team/b");
  CHECK(asked[3] == "team/c");
  CHECK(asked[4] == "team/d");
}

}  // namespace
}  // namespace gangplan::topologies_line_test
