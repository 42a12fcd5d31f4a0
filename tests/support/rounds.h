// How often a random test repeats: its own short number, times GANGPLAN_TEST_ROUNDS (1 when not
// set; `./dev test --long` sets more). Stateless; any thread.
#pragma once

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace gangplan {

inline int Rounds(int short_run) {
  const char* text = std::getenv("GANGPLAN_TEST_ROUNDS");
  const std::string_view factor_text = text == nullptr ? "1" : text;
  int factor = 1;
  std::from_chars(factor_text.data(), factor_text.data() + factor_text.size(), factor);
  return short_run * (factor < 1 ? 1 : factor);
}

}  // namespace gangplan
