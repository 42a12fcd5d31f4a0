// The values of the nodes' labels, one array a key over the node indices, so that a filter is held
// against each distinct value once instead of against each node. A key that few nodes have is kept
// as a list of these; so what a filter costs does not hang on how many keys are asked for that no
// node has, and no question builds an array from all nodes.
// Thread rule: that of the model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/base/text_map.h"
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
  // Carriers of one key up to which it is a list: 256 x 40 bytes against 4 bytes a node.
  static constexpr size_t kFew = 256;

  void Resize(NodeIndex size);
  // The node's labels are others now. O(labels), and O(kFew) for each key of a list.
  void Put(NodeIndex node, const LabelSet& before, const LabelSet& after);
  // The key's column: the one that is kept, or `made`, from the list of those that have it; that
  // takes O(nodes) of writing zeros.
  const LabelColumn& Of(std::string_view key, LabelColumn& made) const;

 private:
  struct Entry {
    size_t carriers = 0;
    std::vector<std::pair<NodeIndex, std::string>> few;
    std::optional<LabelColumn> column;  // where there were more than a few, until none is left
  };
  void Add(NodeIndex node, const std::string& key, const std::string& text);
  void Remove(NodeIndex node, const std::string& key);
  LabelColumn ColumnOf(const Entry* entry) const;  // null: no node has it

  TextMap<Entry> entries_;
  NodeIndex size_ = 0;
};

}  // namespace gangplan
