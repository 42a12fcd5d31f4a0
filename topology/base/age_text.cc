#include "topology/base/age_text.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "fmt/format.h"

namespace gangplan {

std::string AgeText(absl::Duration age) {
  const int64_t seconds = std::max<int64_t>(0, absl::ToInt64Seconds(age));
  const int64_t minutes = seconds / 60, hours = minutes / 60, days = hours / 24;
  const auto two = [](int64_t whole, std::string_view unit, int64_t part, std::string_view of) {
    return part == 0 ? fmt::format("{}{}", whole, unit)
                     : fmt::format("{}{}{}{}", whole, unit, part, of);
  };
  if (seconds < 120) return fmt::format("{}s", seconds);
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return fmt::format("{}m", minutes);
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (hours < 48) return fmt::format("{}h", hours);
  if (days < 8) return two(days, "d", hours % 24, "h");
  if (days < 730) return fmt::format("{}d", days);
  return two(days / 365, "y", days % 365, "d");
}

}  // namespace gangplan
