// UTF-8 as it must be: no sequence longer than needed, no surrogates, nothing beyond U+10FFFF.
// Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gangplan {

// The length of the well-formed sequence of two to four bytes that `text` begins with, or zero.
// REQUIRES: it is not empty.
size_t Utf8Length(std::string_view text);

// `text` cut to at most `max_bytes`, at a UTF-8 border.
std::string CutUtf8(std::string_view text, size_t max_bytes);

}  // namespace gangplan
