// A whole decimal number as Go's strconv reads one: the whole text, a sign allowed, no blanks.
// Nothing when the text is no such number, or one that the type cannot hold. Pure; any thread.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace gangplan {

template <typename Integer>
std::optional<Integer> ReadDecimal(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  Integer value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace gangplan
