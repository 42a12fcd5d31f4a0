// The query of a request's target, for the fake API server: parts and numbers. Pure; any thread.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gangplan {

inline std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t at = text.find(separator);
    if (!text.substr(0, at).empty()) parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

inline std::string QueryValue(const std::string& query, std::string_view key) {
  for (const std::string& part : Split(query, '&')) {
    if (part.starts_with(key) && part.size() > key.size() && part[key.size()] == '=') {
      return part.substr(key.size() + 1);
    }
  }
  return {};
}

// The number that `text` begins with; -1 when it begins with none.
inline int64_t NumberAt(std::string_view text) {
  int64_t number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace gangplan
