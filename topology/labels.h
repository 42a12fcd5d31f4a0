// Label and annotation sets, and changes of them: pairs sorted by key, keys unique. Small, so
// sorted vectors.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gangplan {

using LabelSet = std::vector<std::pair<std::string, std::string>>;

// A change of a set, as a merge patch has it (RFC 7386): keys to set, and with nullopt keys to
// remove if they are there. Keys that it does not have stay as they are. Sorted by key, keys
// unique.
using LabelPatch = std::vector<std::pair<std::string, std::optional<std::string>>>;

// The value of `key`, or null when the set lacks it. O(log n).
inline const std::string* FindLabel(const LabelSet& labels, std::string_view key) {
  auto it = std::lower_bound(labels.begin(), labels.end(), key,
                             [](const auto& entry, std::string_view k) { return entry.first < k; });
  return it != labels.end() && it->first == key ? &it->second : nullptr;
}

// Gives `key` this value. O(n) for a new key.
inline void SetLabel(LabelSet& labels, std::string_view key, std::string value) {
  auto it = std::lower_bound(labels.begin(), labels.end(), key,
                             [](const auto& entry, std::string_view k) { return entry.first < k; });
  if (it == labels.end() || it->first != key) it = labels.insert(it, {std::string(key), ""});
  it->second = std::move(value);
}

// What of the patch changes the set. O(keys of the patch x log n).
inline LabelPatch ChangesOf(const LabelSet& labels, LabelPatch patch) {
  std::erase_if(patch, [&](const auto& entry) {
    const std::string* value = FindLabel(labels, entry.first);
    return entry.second ? value != nullptr && *value == *entry.second : value == nullptr;
  });
  return patch;
}

// False: the set was like that before. O(keys of the patch x n).
inline bool PatchLabels(LabelSet& labels, const LabelPatch& patch) {
  const LabelPatch changes = ChangesOf(labels, patch);
  for (const auto& [key, value] : changes) {
    if (value) {
      SetLabel(labels, key, *value);
    } else {
      std::erase_if(labels, [&key = key](const auto& entry) { return entry.first == key; });
    }
  }
  return !changes.empty();
}

}  // namespace gangplan
