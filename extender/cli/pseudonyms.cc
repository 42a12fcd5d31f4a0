#include "extender/cli/pseudonyms.h"

#include <algorithm>

#include "fmt/format.h"
#include "topology/base/check.h"

namespace gangplan {
namespace {

constexpr std::string_view kWorker = "-worker-";

// Of "NAME-worker-7"; empty: it is another name.
std::string_view MakerOf(std::string_view name) {
  const size_t end = name.find_last_not_of("0123456789");
  if (end == std::string_view::npos || end + 1 == name.size()) return {};
  const std::string_view stem = name.substr(0, end + 1);
  return stem.ends_with(kWorker) ? stem.substr(0, stem.size() - kWorker.size())
                                 : std::string_view();
}

}  // namespace

void Pseudonyms::Note(std::string_view name) { names_.emplace_back(name); }

void Pseudonyms::NotePod(std::string_view name) {
  if (!MakerOf(name).empty()) workers_.emplace(name);
  Note(name);
}

void Pseudonyms::Close() {
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
  width_ = static_cast<int>(fmt::formatted_size("{}", names_.size()));
  std::erase_if(workers_, [this](const std::string& name) {
    return !std::binary_search(names_.begin(), names_.end(), MakerOf(name));
  });
}

std::string Pseudonyms::Numbered(std::string_view name) const {
  const auto found = std::lower_bound(names_.begin(), names_.end(), name);
  GANGPLAN_CHECK(found != names_.end() && *found == name);
  return fmt::format("x{:0{}}", found - names_.begin(), width_);
}

std::string Pseudonyms::Of(std::string_view name) const {
  if (!workers_.contains(name)) return Numbered(name);
  const std::string_view maker = MakerOf(name);
  return Numbered(maker) + std::string(name.substr(maker.size()));
}

}  // namespace gangplan
