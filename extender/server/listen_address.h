// Where a listener may listen. Pure; any thread.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace gangplan {

// Ok for 127.0.0.0/8, ::1 and localhost; the verbs have no other protection than that only this
// machine reaches them.
absl::Status CheckLoopback(const std::string& address);

}  // namespace gangplan
