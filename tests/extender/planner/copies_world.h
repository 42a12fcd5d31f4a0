// Gangs of two shapes that are asked about on copies alone, which the test carries out itself. One
// thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "extender/planner/planner.h"
#include "extender/planner/solve_task.h"
#include "fmt/format.h"
#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan {

// A leader without GPUs beside workers that take a node each, in one rack.
inline PodFacts CopiedMember(std::string_view group, int index, int workers, int32_t priority = 0) {
  const std::string name = fmt::format("{}-{}-{}", group, workers, index);
  PodFacts pod = ForeignPod(name, index == 0 ? 0 : 8, priority);
  SetWord(pod.annotations, "gangplan.io/group", group);
  SetWord(pod.annotations, "gangplan.io/place", "rack=pack!");
  SetWord(pod.annotations, "gangplan.io/pod-set", index == 0 ? "leader" : "workers");
  SetWord(pod.annotations, "gangplan.io/pod-sets", fmt::format("leader=1,workers={}", workers));
  return pod;
}

inline PlannerOptions OnCopies() {
  PlannerOptions options = PlannerWorld::Options();
  options.leaves_of_several = 0;
  return options;
}

// The test carries the copies out itself.
struct CopyDesk {
  Planner planner;
  absl::Time now = absl::FromUnixSeconds(1'000'000);

  CopyDesk(int racks, int nodes, PlannerOptions options = OnCopies())
      : planner(std::move(options)) {
    for (const NodeFacts& node : MakeNodes(1, racks, nodes))
      REQUIRE(planner.OnNode(now, node).ok());
    planner.SetActive(now, true);
    planner.OnSynced(now);
  }
  void Show(std::string_view group, int workers, int32_t priority = 0) {
    for (int i = 0; i <= workers; ++i)
      planner.OnPod(now, CopiedMember(group, i, workers, priority));
  }
  // Null: none is to be solved.
  std::shared_ptr<SolveTask> TakeCopy() {
    std::shared_ptr<SolveTask> task;
    for (Effect& effect : planner.TakeEffects()) {
      auto* solve = std::get_if<SolveOnCopy>(&effect);
      if (solve == nullptr) continue;
      REQUIRE(task == nullptr);  // one at a time
      task = std::move(solve->task);
    }
    return task;
  }
  void Solve(const std::shared_ptr<SolveTask>& task) {
    REQUIRE(task != nullptr);
    task->Run();
    planner.OnSolved(now, *task);
    CHECK(planner.BrokenInvariant() == "");
  }
  GroupState StateOf(std::string_view name) { return planner.Report(name)->state; }
  std::string NameOf(GroupId id) {
    for (const GroupReport& report : planner.List(0, 100)) {
      if (report.id == id) return report.name;
    }
    return "";
  }
  GroupId IdOf(std::string_view name) {
    for (const GroupReport& report : planner.List(0, 100)) {
      if (report.name == name) return report.id;
    }
    return 0;
  }
};

}  // namespace gangplan
