#include "extender/frontends/sakkara/group_results.h"

#include <algorithm>

namespace gangplan {
namespace {

template <typename Patch>
auto FindKey(Patch& patch, std::string_view key) {
  return std::find_if(patch.begin(), patch.end(),
                      [&](const auto& entry) { return entry.first == key; });
}

// Of the object once the patch is made; nothing is copied, both may have a million bytes.
size_t BytesWith(const LabelSet& data, const LabelPatch& patch) {
  size_t bytes = 0;
  for (const auto& [key, value] : data) {
    if (FindKey(patch, key) == patch.end()) bytes += key.size() + value.size();
  }
  for (const auto& [key, value] : patch) {
    if (value) bytes += key.size() + value->size();
  }
  return bytes;
}

}  // namespace

ResultsToWrite FindResultsToWrite(const ConfigMapFacts& object,
                                  const SakkaraGroupResults& results) {
  ResultsToWrite write;
  write.data = SakkaraGroupData(results);
  for (std::string_view key : {"placement", "rank"}) {
    if (BytesWith(object.data, write.data) <= kMaxResultBytes) break;
    const auto entry = FindKey(write.data, key);
    if (entry == write.data.end() || !entry->second) continue;
    entry->second.reset();
    write.too_big.emplace_back(key);
  }
  write.data = ChangesOf(object.data, std::move(write.data));
  return write;
}

}  // namespace gangplan
