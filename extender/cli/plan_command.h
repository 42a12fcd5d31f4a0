// `gangplan plan`: where the pods of a Job or a JobSet would go in a saved cluster, or why nowhere.
#pragma once

#include "extender/cli/command.h"

namespace gangplan {

inline constexpr int kExitWaits = 1;  // it would fit with less load
inline constexpr int kExitNever = 3;  // it fits no more than this, however empty the cluster is

// kExitDone: all of them have room now.
Command PlanCommand();

}  // namespace gangplan
