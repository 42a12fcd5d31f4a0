#include "extender/frontends/fitting_data.h"

#include <algorithm>

namespace gangplan {
namespace {

template <typename Patch>
auto FindKey(Patch& patch, std::string_view key) {
  return std::find_if(patch.begin(), patch.end(),
                      [&](const auto& entry) { return entry.first == key; });
}

size_t BytesOf(const LabelPatch& patch) {
  size_t bytes = 0;
  for (const auto& [key, value] : patch) {
    if (value) bytes += key.size() + value->size();
  }
  return bytes;
}

}  // namespace

size_t BytesBeside(const LabelSet& data, const LabelPatch& patch) {
  size_t bytes = 0;
  for (const auto& [key, value] : data) {
    if (FindKey(patch, key) == patch.end()) bytes += key.size() + value.size();
  }
  return bytes;
}

std::vector<std::string> RemoveTooBig(size_t beside, std::span<const std::string_view> keys,
                                      LabelPatch& patch) {
  std::vector<std::string> removed;
  for (std::string_view key : keys) {
    if (beside + BytesOf(patch) <= kMaxDataBytes) break;
    const auto entry = FindKey(patch, key);
    if (entry == patch.end() || !entry->second) continue;
    entry->second.reset();
    removed.emplace_back(key);
  }
  return removed;
}

}  // namespace gangplan
