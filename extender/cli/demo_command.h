// `gangplan demo`: several gangs on an embedded cluster, over real HTTP.
#pragma once

#include "extender/cli/command.h"

namespace gangplan {

// A claim that did not hold is kExitFailed.
Command DemoCommand();

}  // namespace gangplan
