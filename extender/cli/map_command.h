// `gangplan map`: the cluster that a running gangplan sees, node by node.
#pragma once

#include "extender/cli/command.h"

namespace gangplan {

Command MapCommand(bool coloured);

}  // namespace gangplan
