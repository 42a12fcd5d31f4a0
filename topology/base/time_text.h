// Times for people, and as Kubernetes writes them: "2026-12-01T06:00:00Z". Pure; any thread.
#pragma once

#include <string>

#include "absl/time/time.h"

namespace gangplan {

// To the second, in UTC.
inline std::string UtcText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

}  // namespace gangplan
