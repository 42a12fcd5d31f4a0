#include "topology/base/duration.h"

#include "topology/base/text.h"

namespace gangplan {

std::optional<absl::Duration> ReadGoDuration(std::string_view text) {
  // Abseil also knows signs and "inf", which no time-out can use.
  const bool plain = text.find_first_not_of("0123456789.hmnsu") == std::string_view::npos;
  absl::Duration duration;
  if (text.empty() || !plain || !absl::ParseDuration(ToAbsl(text), &duration)) return std::nullopt;
  return duration;
}

}  // namespace gangplan
