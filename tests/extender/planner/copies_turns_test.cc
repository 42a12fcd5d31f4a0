// Who is asked next on a copy, and with how many steps.
#include <string>
#include <vector>

#include "extender/planner/limits.h"
#include "tests/extender/planner/copies_world.h"

namespace gangplan::copies_turns_test {

TEST_CASE("Copies: namespaces are asked in turn") {
  CopyDesk desk(1, 2);
  for (const char* name : {"a", "b", "c", "d"}) desk.Show(name, 1);
  PodFacts other[] = {CopiedMember("late", 0, 1), CopiedMember("late", 1, 1)};
  for (PodFacts& pod : other) {
    pod.ns = "others";
    desk.planner.OnPod(desk.now, pod);
  }
  std::vector<std::string> asked;
  for (int i = 0; i < 5; ++i) {
    const std::shared_ptr<SolveTask> task = desk.TakeCopy();
    asked.push_back(desk.NameOf(task->group));
    desk.Solve(task);
  }
  CHECK(asked == std::vector<std::string>{"team/a", "team/b", "others/late", "team/c", "team/d"});
}

// An engine that knows that nobody fits now, and not whether that is so for good.
TEST_CASE("Copies: who may never fit is asked with more steps, and stands in no line then") {
  PlannerOptions options = PlannerWorld::Options();
  options.queue_mode = QueueMode::kStrict;
  std::vector<int64_t> steps;
  const bool hope = GENERATE(false, true);
  options.engine = [&steps, hope](const PlacementView&, const std::function<PlacementView()>&,
                                  const PlacementRequest&, const Budget& budget) {
    steps.push_back(budget.steps);
    Solved solved;
    solved.result.outcome = Outcome::kWait;
    solved.result.hope_proven = hope;
    return solved;
  };
  CopyDesk desk(1, 2, options);
  desk.Show("unlike", 1);
  CHECK(steps == std::vector<int64_t>{kSolveSteps});
  if (!hope) {
    desk.Solve(desk.TakeCopy());
    CHECK(steps == std::vector<int64_t>{kSolveSteps, kCopySteps});
  }
  CHECK(desk.planner.Report("team/unlike")->line_place == (hope ? 1 : 0));
  CHECK(desk.planner.Report("team/unlike")->outcome == Outcome::kWait);
}

TEST_CASE("Copies: what was not decided is asked again with more steps, after longer pauses") {
  std::vector<int64_t> steps;
  PlannerOptions options = OnCopies();
  options.engine = [&steps](const PlacementView&, const std::function<PlacementView()>&,
                            const PlacementRequest&, const Budget& budget) {
    steps.push_back(budget.steps);
    Solved solved;
    solved.result.outcome = Outcome::kWait;
    solved.result.proven = false;
    return solved;
  };
  CopyDesk desk(1, 2, options);
  desk.Show("hard", 1);
  desk.Solve(desk.TakeCopy());
  for (const int times : {1, 2, 4, 8}) {
    desk.now += times * kUndecidedPause - absl::Seconds(1);
    desk.planner.Tick(desk.now);
    CHECK(desk.TakeCopy() == nullptr);
    desk.now += absl::Seconds(1);
    desk.planner.Tick(desk.now);
    desk.Solve(desk.TakeCopy());
  }
  CHECK(steps == std::vector<int64_t>{kCopySteps, 2 * kCopySteps, 4 * kCopySteps, 4 * kCopySteps,
                                      4 * kCopySteps});
}

}  // namespace gangplan::copies_turns_test
