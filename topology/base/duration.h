// Durations as Go and Kubernetes write them: "90s", "5m", "1h30m". Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "absl/time/time.h"

namespace gangplan {

// Nothing: it is none, or has a sign, or is without an end.
std::optional<absl::Duration> ReadGoDuration(std::string_view text);

}  // namespace gangplan
