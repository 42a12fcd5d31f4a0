// Strings as Go's encoder writes them: quotes, backslashes and control characters escaped, also
// < > & and the two line separators of Unicode; what is not UTF-8 becomes \ufffd. The result is
// always valid JSON. Internal to this room. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace gangplan {

// Appends `text` as a JSON string with its quotes.
void AppendJsonString(std::string& out, std::string_view text);

}  // namespace gangplan
