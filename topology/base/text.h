// Bridges between std::string_view and Abseil's own view type (Debian builds Abseil so that
// absl::string_view is a type apart), and makers of absl::Status from fmt text; texts from outside
// made fit for use. Stateless; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>

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

// An InvalidArgument status from a format string.
template <typename... Args>
absl::Status Invalid(fmt::format_string<Args...> format, Args&&... args) {
  return absl::InvalidArgumentError(ToAbsl(fmt::format(format, std::forward<Args>(args)...)));
}

}  // namespace gangplan
