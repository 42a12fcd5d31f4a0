#include "extender/planner/go_text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace gangplan {

std::optional<int32_t> ReadGoInteger(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  int32_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<bool> ReadGoTruth(std::string_view text) {
  constexpr std::array<std::string_view, 12> kWords = {"1", "t", "T", "true",  "TRUE",  "True",
                                                       "0", "f", "F", "false", "FALSE", "False"};
  const auto word = std::find(kWords.begin(), kWords.end(), text);
  if (word == kWords.end()) return std::nullopt;
  return word < kWords.begin() + kWords.size() / 2;
}

}  // namespace gangplan
