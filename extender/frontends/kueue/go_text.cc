#include "extender/frontends/kueue/go_text.h"

#include <algorithm>
#include <array>

#include "topology/base/decimal.h"

namespace gangplan {

std::optional<int32_t> ReadGoInteger(std::string_view text) { return ReadDecimal<int32_t>(text); }

std::optional<bool> ReadGoTruth(std::string_view text) {
  constexpr std::array<std::string_view, 12> kWords = {"1", "t", "T", "true",  "TRUE",  "True",
                                                       "0", "f", "F", "false", "FALSE", "False"};
  const auto word = std::find(kWords.begin(), kWords.end(), text);
  if (word == kWords.end()) return std::nullopt;
  return word < kWords.begin() + kWords.size() / 2;
}

}  // namespace gangplan
