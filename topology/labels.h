// Label and annotation sets: pairs sorted by key, keys unique. Small, so a sorted vector.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gangplan {

using LabelSet = std::vector<std::pair<std::string, std::string>>;

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

}  // namespace gangplan
