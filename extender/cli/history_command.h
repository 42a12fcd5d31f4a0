// `gangplan history`: what has become of a gang since a running gangplan has started.
#pragma once

#include "extender/cli/command.h"

namespace gangplan {

Command HistoryCommand();

}  // namespace gangplan
