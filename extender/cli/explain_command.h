// `gangplan explain NAMESPACE/NAME`: asks a running gangplan, prints text or JSON.
#pragma once

#include "extender/cli/command.h"

namespace gangplan {

// No such group, and no answer, are kExitFailed.
Command ExplainCommand();

}  // namespace gangplan
