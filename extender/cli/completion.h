// What completes the words of a command line in a shell: a script made of the tables of the
// commands, so that it knows what they know. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "extender/cli/command.h"

namespace gangplan {

// For bash 4 or later: defines the function `_gangplan` and has `gangplan` completed by it.
std::string BashCompletion(const std::vector<Command>& commands);
// The same for zsh, which takes it over.
std::string ZshCompletion(const std::vector<Command>& commands);

}  // namespace gangplan
