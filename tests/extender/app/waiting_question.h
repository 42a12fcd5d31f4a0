// A question of a gang that waits for room, as the planner asks it beside its lock. For tests only.
#pragma once

#include <memory>

#include "extender/planner/solve_task.h"
#include "tests/support/planner_world.h"

namespace gangplan {

inline std::shared_ptr<SolveTask> WaitingQuestion() {
  PlannerWorld world;
  world.AddNodes(MakeNodes(1, 1, 1));
  world.Sync();
  world.ShowJob({.size = 2, .gpus = 8, .place = "rack=pack!"}, 0, 2);
  return world.planner().Question("team/train");
}

}  // namespace gangplan
