// Bridges between std::string_view and Abseil's own view type (Debian builds Abseil so that
// absl::string_view is a type apart), the transparent hash for string-keyed maps, and makers of
// absl::Status from fmt text; texts from outside made fit for use. Stateless; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "fmt/format.h"

namespace gangplan {

inline absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view ToStd(absl::string_view text) { return {text.data(), text.size()}; }
inline std::string Message(const absl::Status& status) {
  return std::string(ToStd(status.message()));
}

// A text from outside, fit for a message: printable ASCII, cut short.
std::string Shown(std::string_view text);
// Without the white space around it.
std::string_view Trim(std::string_view text);

// Hash and equality that let a string map be asked with a std::string_view without a copy.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const {
    return absl::Hash<absl::string_view>{}(ToAbsl(text));
  }
};
struct TextEqual {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return a == b; }
};
template <typename Value>
using TextMap = absl::flat_hash_map<std::string, Value, TextHash, TextEqual>;
using TextSet = absl::flat_hash_set<std::string, TextHash, TextEqual>;

// An InvalidArgument status from a format string.
template <typename... Args>
absl::Status Invalid(fmt::format_string<Args...> format, Args&&... args) {
  return absl::InvalidArgumentError(ToAbsl(fmt::format(format, std::forward<Args>(args)...)));
}

}  // namespace gangplan
