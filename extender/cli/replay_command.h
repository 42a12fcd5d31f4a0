// `gangplan replay`: what another configuration would have made of the gangs of a saved cluster.
#pragma once

#include "extender/cli/command.h"

namespace gangplan {

inline constexpr int kExitDiffers = 3;

Command ReplayCommand();

}  // namespace gangplan
