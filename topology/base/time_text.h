// Times for people, and as Kubernetes writes them: "2026-12-01T06:00:00Z". Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace gangplan {

// To the second, in UTC.
inline std::string UtcText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

// A day and a time with its zone, as people write them: RFC 3339, the seconds may be left out.
inline std::optional<absl::Time> ReadTime(std::string_view text) {
  constexpr char kToTheMinute[] = "%Y-%m-%dT%H:%M%Ez";
  const absl::string_view read(text.data(), text.size());
  absl::Time time;
  if (absl::ParseTime(absl::RFC3339_full, read, &time, nullptr)) return time;
  if (absl::ParseTime(kToTheMinute, read, &time, nullptr)) return time;
  return std::nullopt;
}

}  // namespace gangplan
