// JSON strings from any bytes: quotes, backslashes and control characters are escaped, bytes that
// are not UTF-8 become U+FFFD, so the result is always valid JSON. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace gangplan {

// Appends `text` as a quoted JSON string.
void AppendQuoted(std::string_view text, std::string& out);

}  // namespace gangplan
