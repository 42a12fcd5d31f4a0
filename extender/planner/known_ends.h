// When groups end, as far as their pods have told how long they run. Pure.
//
// Thread rule: the planner's.
#pragma once

#include <cstdint>

#include "absl/time/time.h"
#include "extender/planner/group.h"

namespace gangplan {

// Seconds from its start until all of its room is free; 0: nobody has told of some of it.
int64_t RoomTakenBy(const Group& group);

// In Unix seconds, when one has gone that gets room at `begins`, however late it starts: one of
// which the pods are there within the time for which room is held for it, one that is still to be
// started within twice that. 0: nobody knows. `patience`: gang.gatherTimeout.
int64_t EndOfNew(absl::Time begins, const Group& group, absl::Duration patience);

}  // namespace gangplan
