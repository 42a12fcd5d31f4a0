// Where a group has room: held for it, or what its pods have. Thread rule: the planner's.
#pragma once

#include <cstdint>

#include "extender/planner/group.h"

namespace gangplan {

inline bool HasRoom(const Slot& slot) { return slot.taken() || slot.state == SlotState::kBound; }

// `visit(node, pod set)` for each slot that has some, in their order. O(slots).
template <typename Visit>
void VisitRoom(const Group& group, Visit visit) {
  for (const PodSet& set : group.pod_sets().sets()) {
    for (int32_t i = set.first; group.planned() && i < set.first + set.count; ++i)
      if (HasRoom(group.slot(i))) visit(group.slot(i).node, set);
  }
}

}  // namespace gangplan
