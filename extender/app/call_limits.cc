#include "extender/app/call_limits.h"

#include <algorithm>

#include "extender/server/limits.h"

namespace gangplan {

ServerSettings Fitted(const ServerSettings& wanted, const ProcessLimits& limits) {
  ServerSettings fitted = wanted;
  const int most = std::min(limits.descriptors, limits.threads) - kReservedDescriptors;
  fitted.max_connections = std::max(1, std::min(wanted.max_connections, most));
  fitted.max_held_calls = std::min(wanted.max_held_calls, MostHeldCalls(fitted.max_connections));
  return fitted;
}

}  // namespace gangplan
