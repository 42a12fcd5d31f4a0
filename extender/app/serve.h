// A Gangplan over the cluster that its configuration names, for the life of a process.
#pragma once

#include "absl/status/status.h"
#include "config/settings.h"

namespace gangplan {

// Blocks until SIGTERM or SIGINT has come and everything was drained. Call it before any thread is
// made: the signals are blocked in all that follow.
absl::Status Serve(const Settings& settings);

}  // namespace gangplan
