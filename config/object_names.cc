#include "config/object_names.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace gangplan {
namespace {

constexpr size_t kMaxObjectNameBytes = 253;

}  // namespace

bool IsObjectName(std::string_view text) {
  const auto plain = [](char c) { return absl::ascii_islower(c) || absl::ascii_isdigit(c); };
  const auto letters = std::all_of(text.begin(), text.end(),
                                   [&](char c) { return plain(c) || c == '-' || c == '.'; });
  return letters && !text.empty() && text.size() <= kMaxObjectNameBytes && plain(text.front()) &&
         plain(text.back());
}

bool IsObjectInNamespace(std::string_view text) {
  const size_t slash = text.find('/');
  return slash != std::string_view::npos && IsObjectName(text.substr(0, slash)) &&
         IsObjectName(text.substr(slash + 1));
}

}  // namespace gangplan
