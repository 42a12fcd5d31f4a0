// The host's own time, by which others on it write into objects. Unlike SystemClock's it may be
// set, also back, and it goes on while the process or the host is stopped. Thread-safe.
#pragma once

#include "topology/base/clock.h"

namespace gangplan {

const Clock& HostClock();

}  // namespace gangplan
