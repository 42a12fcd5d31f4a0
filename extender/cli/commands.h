// All commands of the program, in the order of its help.
#pragma once

#include <vector>

#include "extender/cli/command.h"

namespace gangplan {

std::vector<Command> AllCommands();

}  // namespace gangplan
