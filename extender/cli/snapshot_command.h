// `gangplan snapshot`: a cluster in a file, as far as planning sees it.
#pragma once

#include "extender/cli/command.h"

namespace gangplan {

Command SnapshotCommand();

}  // namespace gangplan
