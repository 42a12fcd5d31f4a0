// `gangplan drain --dry-run`: which gangs lose members when nodes are emptied, and where they would
// go.
#pragma once

#include "extender/cli/command.h"

namespace gangplan {

Command DrainCommand();

}  // namespace gangplan
