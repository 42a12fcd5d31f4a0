// Which nodes have which values of some labels, for each list of labels that somebody goes by.
// Thread rule: the planner's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "topology/model.h"

namespace gangplan {

class RackNodes {
 public:
  using Values = std::vector<std::string>;  // one for each label
  using Nodes = std::set<std::string, std::less<>>;

  // The list of labels is gone by from now on, once more. O(1), the first time O(nodes).
  void Follow(const Values& labels, const Model& model);
  // As often as it was followed. Some lists that nobody goes by any more are kept.
  void Leave(const Values& labels);

  void OnNode(const NodeFacts& node);
  void OnNodeGone(std::string_view name);

  // The node's values; null: it lacks one. REQUIRES: the labels are followed.
  const Values* Of(const Values& labels, std::string_view node) const;
  // By name. REQUIRES: likewise.
  const Nodes& With(const Values& labels, const Values& values) const;

 private:
  struct List {
    int64_t users = 0;
    std::map<Values, Nodes> nodes;
    std::map<std::string, const Values*, std::less<>> of;  // by node: a key of `nodes`
  };

  static void Add(const Values& labels, List& list, const NodeFacts& node);
  static void Remove(List& list, std::string_view node);

  std::map<Values, List> lists_;
};

}  // namespace gangplan
