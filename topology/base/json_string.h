// JSON strings from any bytes: quotes, backslashes and control characters are escaped, also the two
// line separators of Unicode; each byte that is not UTF-8 becomes \ufffd. The result is always
// valid JSON. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace gangplan {

enum class JsonEscapes {
  kLogs,  // DEL as well, which terminals take for a command
  kGo,    // < > & as well: byte for byte what Go's encoding/json writes
};

// Appends `text` as a JSON string with its quotes.
void AppendJsonString(std::string& out, std::string_view text, JsonEscapes escapes);

}  // namespace gangplan
