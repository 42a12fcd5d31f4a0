#include "extender/cli/pseudonyms.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "topology/base/check.h"

namespace gangplan {
namespace {

// Before and behind the last '-' where a number follows it; else all, and nothing.
std::pair<std::string_view, std::string_view> Split(std::string_view name) {
  const size_t digits = name.find_last_not_of("0123456789");
  const bool numbered = digits != std::string_view::npos && digits > 0 && name[digits] == '-' &&
                        digits + 1 < name.size();
  if (!numbered) return {name, {}};
  return {name.substr(0, digits), name.substr(digits)};
}

}  // namespace

void Pseudonyms::Note(std::string_view name) { stems_.emplace_back(Split(name).first); }

void Pseudonyms::Close() {
  std::sort(stems_.begin(), stems_.end());
  stems_.erase(std::unique(stems_.begin(), stems_.end()), stems_.end());
  width_ = static_cast<int>(fmt::formatted_size("{}", stems_.size()));
}

std::string Pseudonyms::Of(std::string_view name) const {
  const auto [stem, number] = Split(name);
  const auto found = std::lower_bound(stems_.begin(), stems_.end(), stem);
  GANGPLAN_CHECK(found != stems_.end() && *found == stem);
  return fmt::format("x{:0{}}{}", found - stems_.begin(), width_, number);
}

}  // namespace gangplan
