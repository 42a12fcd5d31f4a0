// How a group stands to others wherever groups are put in order. Thread rule: the planner's.
#pragma once

#include "extender/planner/group.h"
#include "extender/planner/solve_queue.h"

namespace gangplan {

inline SolveRank SolveRankOf(const Group& group) {
  return {group.priority(), group.object_priority(), group.created()};
}

}  // namespace gangplan
