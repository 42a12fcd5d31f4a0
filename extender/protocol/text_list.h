// A list of texts in JSON. Constant data; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "extender/protocol/json_shape.h"

namespace gangplan::json {

inline absl::Status AppendText(std::vector<std::string>& texts, std::string_view text) {
  texts.emplace_back(text);
  return absl::OkStatus();
}

// One of the elements of an array, of `most` bytes: behind the others of a
// std::vector<std::string>, the enclosing target.
constexpr JsonShape ListedText(size_t most) { return TextFor<&AppendText>(most); }

}  // namespace gangplan::json
