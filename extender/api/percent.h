// Percent-decoding of parts of a URL. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gangplan {

// "%2F" is a slash; nothing: a % without two hexadecimal digits behind it.
std::optional<std::string> PercentDecoded(std::string_view text);

}  // namespace gangplan
