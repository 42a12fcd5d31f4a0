// What a large gang gives up comes free in pieces: who asks meanwhile, and who is told of it then.
#include <memory>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "extender/planner/limits.h"
#include "extender/planner/solve_task.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan::freeing_test {
namespace {

constexpr int kLarge = 320;
static_assert(kLarge > kMembersAtOnce);

PodFacts MemberOf(std::string_view group, int index, int size, int64_t gpus,
                  std::string_view place = "") {
  PodFacts pod = ForeignPod(fmt::format("{}-{:03}", group, index), gpus);
  SetWord(pod.annotations, "gangplan.io/group", group);
  SetWord(pod.annotations, "gangplan.io/size", fmt::format("{}", size));
  if (!place.empty()) SetWord(pod.annotations, "gangplan.io/place", place);
  return pod;
}

// Copies are carried out at once unless the test keeps them; deletions stay undone.
struct Desk {
  Planner planner;
  absl::Time now = absl::FromUnixSeconds(1'000'000);
  bool keeps_copies = false;
  std::shared_ptr<SolveTask> copy;
  std::vector<Nomination> nominations;
  std::set<std::string> to_go;  // pods that are asked to

  Desk(const std::vector<NodeFacts>& nodes, PlannerOptions options) : planner(std::move(options)) {
    for (const NodeFacts& node : nodes) REQUIRE(planner.OnNode(now, node).ok());
    planner.SetActive(now, true);
    planner.OnSynced(now);
  }
  void Collect() {
    for (Effect& effect : planner.TakeEffects()) {
      if (auto* solve = std::get_if<SolveOnCopy>(&effect)) copy = std::move(solve->task);
      if (auto* one = std::get_if<Nomination>(&effect)) nominations.push_back(*one);
      if (auto* one = std::get_if<PodDelete>(&effect)) to_go.insert(one->pod.uid);
    }
    if (copy != nullptr && !keeps_copies) Solve();
  }
  void Solve() {
    const std::shared_ptr<SolveTask> task = std::exchange(copy, nullptr);
    REQUIRE(task != nullptr);
    task->Run();
    planner.OnSolved(now, *task);
    CHECK(planner.BrokenInvariant() == "");
  }
  void Rest() {
    for (int i = 0; i < 60; ++i) {
      now += absl::Milliseconds(10);
      planner.Tick(now);
      Collect();
    }
  }
  PodFacts Run(PodFacts pod, std::string_view node) {
    pod.node_name = node;
    pod.phase = PodPhase::kRunning;
    planner.OnPod(now, pod);
    return pod;
  }
  void Show(std::string_view group, int size, int64_t gpus, std::string_view place = "",
            int32_t priority = 0) {
    for (int i = 0; i < size; ++i) {
      PodFacts pod = MemberOf(group, i, size, gpus, place);
      pod.priority = priority;
      planner.OnPod(now, pod);
    }
    Rest();
  }
  GroupState StateOf(std::string_view name) { return planner.Report(name)->state; }
  std::string RackOf(std::string_view name) {
    return DomainOf(planner.Report(name)->slots.front().node, 1);
  }
};

}  // namespace

TEST_CASE("Freeing: nobody has to go for room that the gang itself has just given up") {
  constexpr int kOthers = 20;
  PlannerOptions options = PlannerWorld::Options();
  options.preempts = true;
  Desk desk(MakeNodes(1, 1, kLarge / 8 + kOthers), std::move(options));
  for (int i = 0; i < kOthers; ++i) {
    desk.Run(MemberOf(fmt::format("other-{}", i), 0, 1, 8), NodeNameAt(0, 0, kLarge / 8 + i));
  }
  desk.Show("big", kLarge, 1, "", 1'000);
  REQUIRE(desk.StateOf("team/big") == GroupState::kPlanned);
  desk.planner.OnNodeDeleted(desk.now, NodeNameAt(0, 0, 0));
  desk.Rest();
  CHECK(desk.to_go.size() == 1);  // eight slots are lost: one node
}

TEST_CASE("Freeing: who is planned elsewhere when the rest was lost is pointed there") {
  PlannerOptions options = PlannerWorld::Options();
  options.nominate_from = 1;
  Desk desk(MakeNodes(1, 2, kLarge / 8), std::move(options));
  desk.Show("big", kLarge, 1, "rack=pack!");
  REQUIRE(desk.StateOf("team/big") == GroupState::kPlanned);
  const std::string before = desk.RackOf("team/big");
  desk.nominations.clear();
  desk.planner.OnNodeDeleted(desk.now, before + "-n0");
  desk.Rest();
  REQUIRE(desk.StateOf("team/big") == GroupState::kPlanned);
  const std::string after = desk.RackOf("team/big");
  CHECK(after != before);
  std::set<std::string> pointed;
  for (const Nomination& one : desk.nominations) {
    if (one.node.starts_with(after)) pointed.insert(one.pod.uid);
  }
  CHECK(pointed.size() == kLarge);
}

TEST_CASE("Freeing: the first in line is asked when its ends are known, if room came meanwhile") {
  PlannerOptions options = PlannerWorld::Options();
  options.queue_mode = QueueMode::kBackfill;
  Desk desk(MakeNodes(1, 1, 3), std::move(options));
  const PodFacts a = desk.Run(ForeignPod("a", 8), NodeNameAt(0, 0, 0));
  desk.Run(ForeignPod("b", 8), NodeNameAt(0, 0, 1));
  desk.keeps_copies = true;
  desk.Show("head", 2, 8);
  REQUIRE(desk.StateOf("team/head") == GroupState::kBlocked);
  REQUIRE(desk.copy != nullptr);  // when will it have its room?
  desk.planner.OnPodDeleted(desk.now, a.uid);
  desk.planner.Tick(desk.now);
  desk.Run(ForeignPod("c", 8), NodeNameAt(0, 0, 0));
  desk.keeps_copies = false;
  desk.Solve();
  desk.Rest();
  CHECK(desk.StateOf("team/head") == GroupState::kBlocked);
  desk.now += absl::Minutes(11);
  desk.Rest();
  desk.Show("small", 1, 4);
  CHECK(desk.planner.Report("team/small")->reason.find("still asked") == std::string::npos);
}

}  // namespace gangplan::freeing_test
