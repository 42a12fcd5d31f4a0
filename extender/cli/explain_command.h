// `gangplan explain`, or `gangplan why`: asks a running gangplan about a gang, by it, its Job or a
// pod.
#pragma once

#include "extender/cli/command.h"

namespace gangplan {

// No such group, and no answer, are kExitFailed.
Command ExplainCommand();

}  // namespace gangplan
