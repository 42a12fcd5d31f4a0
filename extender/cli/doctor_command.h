// `gangplan doctor`: whether a cluster, or a saved one, and a configuration are as Gangplan needs
// them, line by line with what to do.
#pragma once

#include "extender/cli/command.h"

namespace gangplan {

Command DoctorCommand();

}  // namespace gangplan
