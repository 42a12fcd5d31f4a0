// Texts and lists of texts as JSON, for answers that are formatted by hand. Pure functions.
#pragma once

#include <string>

#include "topology/base/json_text.h"

namespace gangplan::conformance {

inline std::string Quoted(const std::string& text) { return JsonText().Value(text).Take(); }

// `write` makes the JSON of one item.
template <typename Items, typename Write>
std::string Joined(const Items& items, Write write) {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += ',';
    out += write(item);
  }
  return out;
}

}  // namespace gangplan::conformance
