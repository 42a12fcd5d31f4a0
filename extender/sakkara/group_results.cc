#include "extender/sakkara/group_results.h"

#include <algorithm>

namespace gangplan {
namespace {

size_t BytesWith(LabelSet data, const LabelPatch& patch) {
  PatchLabels(data, patch);
  size_t bytes = 0;
  for (const auto& [key, value] : data) bytes += key.size() + value.size();
  return bytes;
}

}  // namespace

ResultsToWrite FindResultsToWrite(const ConfigMapFacts& object,
                                  const SakkaraGroupResults& results) {
  ResultsToWrite write;
  write.data = SakkaraGroupData(results);
  for (std::string_view key : {"placement", "rank"}) {
    if (BytesWith(object.data, write.data) <= kMaxResultBytes) break;
    const auto entry = std::find_if(write.data.begin(), write.data.end(),
                                    [&](const auto& one) { return one.first == key; });
    if (entry == write.data.end() || !entry->second) continue;
    entry->second.reset();
    write.too_big.emplace_back(key);
  }
  write.data = ChangesOf(object.data, std::move(write.data));
  return write;
}

}  // namespace gangplan
