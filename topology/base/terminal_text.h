// A text from outside for a terminal: what would command it, or change what is seen of the words
// beside it, is written as JSON escapes it. So a JSON text stays the same JSON.
// Any thread.
#pragma once

#include <string>
#include <string_view>

namespace gangplan {

// Ends of lines and tabs stay; bytes that are no UTF-8 become \ufffd, as it is written here.
std::string TerminalText(std::string_view text);
// The same on one line: ends of lines and tabs become blanks.
std::string TerminalLine(std::string_view text);

}  // namespace gangplan
