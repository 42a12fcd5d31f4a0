// `gangplan completion`: a script that completes the program's words in a shell.
#pragma once

#include "extender/cli/command.h"

namespace gangplan {

Command CompletionCommand();

}  // namespace gangplan
