#include "topology/base/text.h"

#include "absl/strings/ascii.h"

namespace gangplan {

std::string Shown(std::string_view text) {
  constexpr size_t kMostBytes = 64;
  std::string shown(text.substr(0, kMostBytes));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  if (text.size() > kMostBytes) shown += "...";
  return shown;
}

std::string_view Trim(std::string_view text) {
  return ToStd(absl::StripAsciiWhitespace(ToAbsl(text)));
}

}  // namespace gangplan
