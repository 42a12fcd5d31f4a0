#include "topology/label_columns.h"

#include <utility>

#include "topology/base/check.h"

namespace gangplan {

void LabelColumn::Set(NodeIndex node, const std::string* text) {
  if (text == nullptr) {
    values_[node] = 0;
    return;
  }
  if (texts_.size() > values_.size() * 2 + 64) ForgetOldTexts();
  const auto [it, fresh] = ids_.try_emplace(*text, static_cast<int32_t>(texts_.size()));
  if (fresh) texts_.push_back(*text);
  values_[node] = it->second;
}

// A label whose value changes again and again does not pile up.
void LabelColumn::ForgetOldTexts() {
  const std::vector<std::string> before = std::exchange(texts_, {std::string()});
  ids_.clear();
  for (int32_t& value : values_) {
    if (value == 0) continue;
    const auto [it, fresh] = ids_.try_emplace(before[value], static_cast<int32_t>(texts_.size()));
    if (fresh) texts_.push_back(before[value]);
    value = it->second;
  }
}

void LabelColumns::Resize(NodeIndex size) {
  size_ = size;
  for (auto& [key, entry] : columns_) entry.column.Resize(size);
}

bool LabelColumns::Acquire(std::string_view key) {
  const auto [it, fresh] = columns_.try_emplace(key);
  ++it->second.users;
  if (fresh) it->second.column.Resize(size_);
  return fresh;
}

void LabelColumns::Release(std::string_view key) {
  const auto it = columns_.find(key);
  GANGPLAN_CHECK(it != columns_.end());
  if (--it->second.users == 0) columns_.erase(it);
}

void LabelColumns::Set(NodeIndex node, std::string_view key, const LabelSet& labels) {
  columns_.find(key)->second.column.Set(node, FindLabel(labels, key));
}

void LabelColumns::SetAll(NodeIndex node, const LabelSet& labels) {
  for (auto& [key, entry] : columns_) entry.column.Set(node, FindLabel(labels, key));
}

}  // namespace gangplan
