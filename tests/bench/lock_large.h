// The lines of the workload `lock` about gangs of 8,000 members: whatever is done to all of them at
// once, or because of all the room that they hold.
#pragma once

#include "tests/bench/lock_world.h"

namespace gangplan {

// REQUIRES: the world has room for one such gang more.
void LargeGangs(LockWorld& world);
// Gangs that keep off the pods of others, or stand beside them.
void GangsWithAffinity(LockWorld& world);
// What runs, is held and waits, in gangs without ranks: for a restart.
void LeaveLargeGangs(LockWorld& world);

}  // namespace gangplan
