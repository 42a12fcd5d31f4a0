// `gangplan capacity`: the largest gang at each level of a saved cluster, now and when it is empty.
#pragma once

#include "extender/cli/command.h"

namespace gangplan {

Command CapacityCommand();

}  // namespace gangplan
