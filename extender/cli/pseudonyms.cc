#include "extender/cli/pseudonyms.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "topology/base/check.h"

namespace gangplan {
namespace {

// Before and behind the last '-' where a number follows it, with the "-worker" before that by which
// an MPIJob names its pods; else all, and nothing.
std::pair<std::string_view, std::string_view> Split(std::string_view name) {
  constexpr std::string_view kWorker = "-worker";
  size_t end = name.find_last_not_of("0123456789");
  const bool numbered =
      end != std::string_view::npos && end > 0 && name[end] == '-' && end + 1 < name.size();
  if (!numbered) return {name, {}};
  const std::string_view stem = name.substr(0, end);
  if (stem.ends_with(kWorker) && stem.size() > kWorker.size()) end -= kWorker.size();
  return {name.substr(0, end), name.substr(end)};
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
