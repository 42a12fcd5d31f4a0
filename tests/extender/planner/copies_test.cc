// Questions that are asked on copies of the model: groups of several shapes beside the planner's
// turns, and those of a greater priority behind the room of lesser ones.
#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "algorithms/engine.h"
#include "extender/frontends/gangplan/runtime.h"
#include "extender/planner/limits.h"
#include "extender/planner/solve_task.h"
#include "tests/extender/planner/copies_world.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"
#include "tests/support/sentences.h"

namespace gangplan::copies_test {

TEST_CASE("Copies: a group of several shapes is placed beside the turns") {
  CopyDesk desk(1, 3);
  desk.Show("train", 2);
  const FilterDecision meanwhile = desk.planner.Filter(desk.now, CopiedMember("train", 0, 2), {});
  CHECK(meanwhile.error == Sentence("being placed", "train"));
  desk.Solve(desk.TakeCopy());
  CHECK(desk.StateOf("team/train") == GroupState::kPlanned);
  CHECK(desk.TakeCopy() == nullptr);
}

TEST_CASE("Copies: who is whole while a copy of it is solved stands in line") {
  PlannerOptions options = OnCopies();
  options.queue_mode = QueueMode::kStrict;
  CopyDesk desk(1, 3, std::move(options));
  desk.Show("old", 2);
  const std::shared_ptr<SolveTask> task = desk.TakeCopy();
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = ForeignPod(fmt::format("young-{}", i), 8);
    SetWord(pod.annotations, "gangplan.io/group", "young");
    SetWord(pod.annotations, "gangplan.io/size", "2");
    desk.planner.OnPod(desk.now, pod);
  }
  CHECK(desk.StateOf("team/young") != GroupState::kPlanned);
  desk.Solve(task);
  CHECK(desk.StateOf("team/old") == GroupState::kPlanned);
}

// What a gang of one that runs takes is kept for a gang of two; another one waits behind these.
TEST_CASE("Copies: nobody passes the first in line when what was found for it has gone") {
  PlannerOptions options = PlannerWorld::Options();
  options.queue_mode = QueueMode::kBackfill;
  CopyDesk desk(1, 2, std::move(options));
  const auto one = [](std::string_view name, int32_t index, int32_t size) {
    PodFacts pod = ForeignPod(fmt::format("{}-{}", name, index), 8);
    SetWord(pod.annotations, "gangplan.io/group", name);
    SetWord(pod.annotations, "gangplan.io/size", fmt::format("{}", size));
    return pod;
  };
  PodFacts hour = one("hour", 0, 1);
  SetWord(hour.annotations, kRuntimeWord, "1h");
  hour.node_name = "b0-r0-n0";
  desk.planner.OnPod(desk.now, hour);
  for (int i = 0; i < 2; ++i) desk.planner.OnPod(desk.now, one("first", i, 2));
  desk.planner.OnPod(desk.now, one("behind", 0, 1));
  desk.planner.Tick(desk.now);
  const std::shared_ptr<SolveTask> asked = desk.TakeCopy();
  // It ends an hour after its kubelet has started it, and that is later than was thought.
  hour.run.started = absl::ToUnixSeconds(desk.now) + 5;
  desk.planner.OnPod(desk.now, hour);
  desk.Solve(asked);
  CHECK(desk.StateOf("team/behind") != GroupState::kPlanned);
  CHECK(desk.planner.Report("team/first")->reservation.empty());
  desk.planner.Tick(desk.now);
  desk.Solve(desk.TakeCopy());
  CHECK(desk.StateOf("team/behind") != GroupState::kPlanned);
  CHECK(desk.planner.Report("team/first")->expected_by.has_value());
}

TEST_CASE("Copies: what does not fit any more when its copy is solved is asked anew") {
  CopyDesk desk(2, 2);
  desk.Show("train", 2);
  const std::shared_ptr<SolveTask> task = desk.TakeCopy();
  PodFacts foreign = ForeignPod("load", 8);
  foreign.node_name = "b0-r0-n0";
  foreign.phase = PodPhase::kRunning;
  desk.planner.OnPod(desk.now, foreign);
  desk.Solve(task);
  CHECK(desk.StateOf("team/train") == GroupState::kNew);
  desk.Solve(desk.TakeCopy());
  REQUIRE(desk.StateOf("team/train") == GroupState::kPlanned);
  const std::optional<GroupReport> report = desk.planner.Report("team/train");
  REQUIRE(report.has_value());
  for (const GroupReport::SlotReport& slot : report->slots) CHECK(slot.node.starts_with("b0-r1"));
}

TEST_CASE("Copies: what comes free while a copy is solved is not overlooked") {
  CopyDesk desk(1, 2);
  PodFacts foreign = ForeignPod("load", 8);
  foreign.node_name = "b0-r0-n0";
  foreign.phase = PodPhase::kRunning;
  desk.planner.OnPod(desk.now, foreign);
  desk.Show("train", 2);
  const std::shared_ptr<SolveTask> task = desk.TakeCopy();
  desk.planner.OnPodDeleted(desk.now, foreign.uid);
  desk.planner.Tick(desk.now);  // it does not wait for room yet
  desk.Solve(task);
  desk.Solve(desk.TakeCopy());
  CHECK(desk.StateOf("team/train") == GroupState::kPlanned);
}

TEST_CASE("Copies: a lesser gang that came meanwhile gives way at once") {
  CopyDesk desk(1, 2);
  desk.Show("high", 2, 1000);
  const std::shared_ptr<SolveTask> task = desk.TakeCopy();
  for (int i = 0; i < 2; ++i) {  // of one shape: solved in the turn
    PodFacts pod = ForeignPod(fmt::format("low-{}", i), 8);
    SetWord(pod.annotations, "gangplan.io/group", "low");
    SetWord(pod.annotations, "gangplan.io/size", "2");
    desk.planner.OnPod(desk.now, pod);
  }
  REQUIRE(desk.StateOf("team/low") == GroupState::kPlanned);
  desk.Solve(task);
  CHECK(desk.StateOf("team/high") == GroupState::kPlanned);
  CHECK(desk.StateOf("team/low") == GroupState::kBlocked);
}

TEST_CASE(
    "Copies: one that lacks a member without room is told why, and is not asked at each call") {
  CopyDesk desk(1, 2);
  for (int i = 0; i < 2; ++i) {
    PodFacts pod = CopiedMember("s", i, 2);
    pod.node_name = "b0-r0-n0";
    pod.phase = PodPhase::kRunning;
    desk.planner.OnPod(desk.now, pod);
  }
  PodFacts load = ForeignPod("load", 8);
  load.node_name = "b0-r0-n1";
  desk.planner.OnPod(desk.now, load);
  const PodFacts lost = CopiedMember("s", 2, 2);
  desk.planner.OnPod(desk.now, lost);
  desk.planner.Tick(desk.now);
  desk.Solve(desk.TakeCopy());
  std::string told;
  for (int call = 0; call < 3; ++call) {
    const FilterDecision decision = desk.planner.Filter(desk.now, lost, {"b0-r0-n0", "b0-r0-n1"});
    told = decision.error + decision.text;
    if (const auto task = desk.TakeCopy()) {
      CHECK(call == 0);  // the scheduler has asked for it: that is news
      desk.Solve(task);
    }
  }
  INFO(told);
  CHECK(told.find("being placed") == std::string::npos);
  CHECK(told.find("no placement of 3 members") != std::string::npos);
}

TEST_CASE("Copies: after a restart what had started has its room before others") {
  Planner planner(OnCopies());
  const absl::Time now = absl::FromUnixSeconds(1'000'000);
  for (const NodeFacts& node : MakeNodes(1, 1, 2)) REQUIRE(planner.OnNode(now, node).ok());
  PodFacts load = ForeignPod("load", 8);
  PodFacts leader = CopiedMember("s", 0, 1);
  for (PodFacts* pod : {&load, &leader}) {
    pod->node_name = "b0-r0-n0";
    pod->phase = PodPhase::kRunning;
    planner.OnPod(now, *pod);
  }
  planner.OnPod(now, CopiedMember("s", 1, 1));
  PodFacts other = ForeignPod("u", 8);
  SetWord(other.annotations, "gangplan.io/group", "u");
  SetWord(other.annotations, "gangplan.io/size", "1");
  planner.OnPod(now, other);
  planner.SetActive(now, true);
  planner.OnSynced(now);
  planner.Tick(now);
  CHECK(planner.Report("team/s")->slots[1].node == "b0-r0-n1");
  CHECK(planner.Report("team/u")->state == GroupState::kBlocked);
}

TEST_CASE("Copies: what is hard behind lesser groups is asked beside the lock, once") {
  const auto hard = std::make_shared<bool>(false);
  PlannerOptions options = PlannerWorld::Options();  // short: solved in turns
  options.engine = [hard](const PlacementView& now, const auto& empty,
                          const PlacementRequest& request, const Budget& budget) {
    Solved solved{Place(now, empty, request, budget), {}};
    const bool cut = *hard && budget.steps == kSolveSteps;
    if (cut && solved.result.outcome == Outcome::kPlaced) {
      solved.result = {};
      solved.result.outcome = Outcome::kWait;
      solved.result.proven = false;
    }
    return solved;
  };
  CopyDesk desk(1, 2, std::move(options));
  desk.Show("low", 2);
  REQUIRE(desk.StateOf("team/low") == GroupState::kPlanned);
  *hard = true;
  desk.Show("high", 2, 1000);
  int copies = 0;
  for (int i = 0; i < 10; ++i) {
    if (const std::shared_ptr<SolveTask> task = desk.TakeCopy()) {
      ++copies;
      desk.Solve(task);
    }
    desk.planner.Tick(desk.now);
  }
  CHECK(copies <= 3);
  CHECK(desk.StateOf("team/high") == GroupState::kPlanned);
}

TEST_CASE("Copies: an answer for a template that is not told any more changes nothing") {
  CopyDesk desk(1, 3);
  desk.Show("train", 2);
  const std::shared_ptr<SolveTask> task = desk.TakeCopy();
  for (int i = 0; i <= 2; ++i) desk.planner.OnPodDeleted(desk.now, CopiedMember("train", i, 2).uid);
  desk.Show("train", 1);  // the same name, other pod sets
  desk.Solve(task);
  desk.Solve(desk.TakeCopy());
  REQUIRE(desk.StateOf("team/train") == GroupState::kPlanned);
  CHECK(desk.planner.Report("team/train")->slots.size() == 2);
}

TEST_CASE("Copies: a lesser group gives way when the copy without it is solved") {
  CopyDesk desk(1, 2);
  desk.Show("low", 2);
  desk.Solve(desk.TakeCopy());
  REQUIRE(desk.StateOf("team/low") == GroupState::kPlanned);
  desk.Show("high", 2, 1000);
  desk.Solve(desk.TakeCopy());  // finds no room
  CHECK(desk.StateOf("team/low") == GroupState::kPlanned);
  desk.Solve(desk.TakeCopy());  // looks behind
  CHECK(desk.StateOf("team/high") == GroupState::kPlanned);
  desk.Solve(desk.TakeCopy());
  CHECK(desk.StateOf("team/low") == GroupState::kBlocked);
}

TEST_CASE("Copies: who finds no room behind lesser groups either is told why without them") {
  CopyDesk desk(1, 2);
  desk.Show("low", 2);
  desk.Solve(desk.TakeCopy());
  desk.Show("high", 3, 1000);
  desk.Solve(desk.TakeCopy());
  CHECK(desk.StateOf("team/high") == GroupState::kBlocked);
  CHECK(desk.StateOf("team/low") == GroupState::kPlanned);
}

TEST_CASE("Copies: the greatest priority is solved next") {
  CopyDesk desk(3, 2);
  desk.Show("first", 1);
  desk.Show("low", 1, 1);
  desk.Show("high", 1, 1000);
  desk.Solve(desk.TakeCopy());
  const std::shared_ptr<SolveTask> next = desk.TakeCopy();
  desk.Solve(next);
  CHECK(desk.StateOf("team/high") == GroupState::kPlanned);
  CHECK(desk.StateOf("team/low") == GroupState::kNew);
}

TEST_CASE("Copies: a group that is gone does not come back with its answer") {
  CopyDesk desk(1, 3);
  desk.Show("train", 2);
  const std::shared_ptr<SolveTask> task = desk.TakeCopy();
  for (int i = 0; i <= 2; ++i) desk.planner.OnPodDeleted(desk.now, CopiedMember("train", i, 2).uid);
  desk.Solve(task);
  CHECK_FALSE(desk.planner.Report("team/train").has_value());
}

TEST_CASE("Copies: room ends though the group's question is on a copy that does not come back") {
  CopyDesk desk(1, 3);
  desk.Show("train", 2);
  desk.Solve(desk.TakeCopy());
  const std::optional<GroupReport> report = desk.planner.Report("team/train");
  REQUIRE(report.has_value());
  for (int i = 0; i <= 2; ++i) {
    const PodFacts pod = CopiedMember("train", i, 2);
    const std::string& node = report->slots[static_cast<size_t>(i)].node;
    REQUIRE(desk.planner.Filter(desk.now, pod, {node}).passed.size() == 1);
    REQUIRE(desk.planner.Bind(desk.now, i + 1, {pod.ns, pod.name, pod.uid}, node, desk.now).held);
  }
  desk.planner.Commit(desk.now, desk.IdOf("team/train"), {});
  desk.planner.OnNodeDeleted(desk.now, report->slots[2].node);
  for (const Effect& effect : desk.planner.TakeEffects()) {
    const auto* all = std::get_if<WriteBindings>(&effect);
    for (size_t i = 0; all != nullptr && i < all->writes.size(); ++i) {
      const BindingWrite& write = *all->writes[i];
      desk.planner.OnBindResult(desk.now, write.pod, write.node, write.attempt,
                                {BindOutcome::kRefused, "no"});
    }
  }
  REQUIRE(desk.StateOf("team/train") == GroupState::kNew);
  REQUIRE(desk.planner.Stats().held_slots > 0);
  const std::shared_ptr<SolveTask> never_back = desk.TakeCopy();
  REQUIRE(never_back != nullptr);
  desk.now += absl::Minutes(6);
  desk.planner.Tick(desk.now);
  CHECK(desk.planner.BrokenInvariant() == "");
  CHECK(desk.StateOf("team/train") == GroupState::kReleased);
  CHECK(desk.planner.Stats().held_slots == 0);
}

TEST_CASE("Copies: nobody is asked before those who are in line") {
  constexpr int kWorkers = 900;  // their room is more than a round's work
  CopyDesk desk(2, kWorkers + 1);
  desk.Show("a", kWorkers);
  const std::shared_ptr<SolveTask> first = desk.TakeCopy();
  desk.Show("b", 2, 1000);
  desk.Solve(first);
  desk.Show("c", 1);
  for (int ticks = 0; ticks < 3; ++ticks) desk.planner.Tick(desk.now);
  const std::shared_ptr<SolveTask> second = desk.TakeCopy();
  REQUIRE(second != nullptr);
  CHECK(second->group == desk.IdOf("team/b"));
}

}  // namespace gangplan::copies_test
