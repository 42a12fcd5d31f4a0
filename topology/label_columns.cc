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
  for (auto& [key, entry] : entries_) {
    if (entry.column) entry.column->Resize(size);
  }
}

void LabelColumns::Put(NodeIndex node, const LabelSet& before, const LabelSet& after) {
  if (before == after) return;
  const auto in = [](const LabelSet& labels, const std::string& key, const std::string& value) {
    const std::string* text = FindLabel(labels, key);
    return text != nullptr && *text == value;
  };
  for (const auto& [key, value] : before) {
    if (!in(after, key, value)) Remove(node, key);
  }
  for (const auto& [key, value] : after) {
    if (!in(before, key, value)) Add(node, key, value);
  }
}

void LabelColumns::Add(NodeIndex node, const std::string& key, const std::string& text) {
  Entry& entry = entries_[key];
  ++entry.carriers;
  if (entry.column) return entry.column->Set(node, &text);
  entry.few.emplace_back(node, text);
  if (entry.few.size() <= kFew) return;
  entry.column = ColumnOf(&entry);
  entry.few = {};
}

void LabelColumns::Remove(NodeIndex node, const std::string& key) {
  const auto it = entries_.find(key);
  GANGPLAN_CHECK(it != entries_.end());
  Entry& entry = it->second;
  if (--entry.carriers == 0) {
    entries_.erase(it);
  } else if (entry.column) {
    entry.column->Set(node, nullptr);
  } else {
    std::erase_if(entry.few, [node](const auto& one) { return one.first == node; });
  }
}

LabelColumn LabelColumns::ColumnOf(const Entry* entry) const {
  LabelColumn column;
  column.Resize(size_);
  if (entry == nullptr) return column;
  for (const auto& [node, text] : entry->few) column.Set(node, &text);
  return column;
}

const LabelColumn& LabelColumns::Of(std::string_view key, LabelColumn& made) const {
  const auto it = entries_.find(key);
  const Entry* entry = it == entries_.end() ? nullptr : &it->second;
  if (entry != nullptr && entry->column) return *entry->column;
  made = ColumnOf(entry);
  return made;
}

}  // namespace gangplan
