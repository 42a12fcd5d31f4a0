// A Gangplan over the cluster that its configuration names, for the life of a process.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "config/settings.h"

namespace gangplan {

// Blocks until SIGTERM or SIGINT has come and everything was drained. `file`: from which `settings`
// were read; it is read again on SIGHUP, and when it changes (reload.h). Call it before any thread
// is made: the signals are blocked in all that follow.
absl::Status Serve(const Settings& settings, const std::string& file);

}  // namespace gangplan
