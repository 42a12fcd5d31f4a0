// How old something is, for people. Pure; any thread.
#pragma once

#include <string>

#include "absl/time/time.h"

namespace gangplan {

// As kubectl shows it: 45s, 5m30s, 17h, 3d4h, 2y10d.
std::string AgeText(absl::Duration age);

}  // namespace gangplan
