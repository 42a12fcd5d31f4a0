// The values of the labels that the filters of counted shapes ask for, one array a key over the
// node indices, so that a filter is held against each distinct value once instead of against each
// node. A key is kept as long as it has users, so labels that nobody asks for cost nothing.
// Internal to the model. Thread rule: that of the model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topology/base/text.h"
#include "topology/labels.h"
#include "topology/model.h"

namespace gangplan {

class LabelColumn {
 public:
  // Values by node index: an index into texts(); 0 where the node lacks the label.
  const std::vector<int32_t>& values() const { return values_; }
  // texts()[0] stands for no value. Some may be of no node any more.
  const std::vector<std::string>& texts() const { return texts_; }

  void Resize(NodeIndex size) { values_.resize(size, 0); }
  void Set(NodeIndex node, const std::string* text);  // null: the node lacks the label

 private:
  void ForgetOldTexts();

  std::vector<int32_t> values_;
  std::vector<std::string> texts_{std::string()};
  TextMap<int32_t> ids_;
};

class LabelColumns {
 public:
  void Resize(NodeIndex size);
  // One more user of the key. True when it is the first: the caller sets the label of every node.
  bool Acquire(std::string_view key);
  void Release(std::string_view key);

  void Set(NodeIndex node, std::string_view key, const LabelSet& labels);
  void SetAll(NodeIndex node, const LabelSet& labels);

  const LabelColumn& at(std::string_view key) const { return columns_.find(key)->second.column; }

 private:
  struct Entry {
    LabelColumn column;
    int32_t users = 0;
  };
  TextMap<Entry> columns_;
  NodeIndex size_ = 0;
};

}  // namespace gangplan
