// Connections and held bind calls within what the process may have: limits that agree with each
// other, so that a full house of held calls still leaves room for the other calls. Pure.
#pragma once

#include "config/settings.h"
#include "extender/server/process_limits.h"

namespace gangplan {

// `wanted` with as many connections and held calls as the process has open files and threads for,
// less those for all else.
ServerSettings Fitted(const ServerSettings& wanted, const ProcessLimits& limits);

}  // namespace gangplan
