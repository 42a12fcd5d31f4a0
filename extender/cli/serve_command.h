// `gangplan serve`: the extender, until SIGTERM or SIGINT.
#pragma once

#include "extender/cli/command.h"

namespace gangplan {

// A bad file is kExitWrongWords.
Command ServeCommand();

}  // namespace gangplan
