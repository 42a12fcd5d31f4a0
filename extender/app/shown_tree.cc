#include "extender/app/shown_tree.h"

#include <algorithm>
#include <string>

#include "fmt/format.h"

namespace gangplan {
namespace {

constexpr std::string_view kTop = "topology";

std::string LabelAt(int height) { return fmt::format("{}", height); }

// Of the levels that are so many above the node: "rack/ring".
std::string NameAt(const std::vector<std::shared_ptr<const Tree>>& trees, int height) {
  std::vector<std::string> names;
  for (const auto& tree : trees) {
    const int level = tree->leaf_level() - height;
    if (level < 0) continue;
    const std::string& name = tree->level(level).name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, "/"));
}

NodeFacts NodeOf(const Tree& tree, int32_t leaf, int most) {
  NodeFacts node;
  node.name = tree.name(tree.leaf_level(), leaf);
  SetLabel(node.labels, kTop, tree.topology().name);
  for (int height = 1; height <= most; ++height) {
    const int level = std::max(0, tree.leaf_level() - height);
    SetLabel(node.labels, LabelAt(height), tree.name(level, tree.Ancestor(leaf, level)));
  }
  return node;
}

}  // namespace

std::shared_ptr<const Tree> ShownTree(const std::vector<std::shared_ptr<const Tree>>& trees) {
  if (trees.size() == 1) return trees.front();
  int most = 0;
  for (const auto& tree : trees) most = std::max(most, tree->leaf_level());
  Topology topology{"", {{std::string(kTop), std::string(kTop)}}};
  for (int height = most; height > 0; --height)
    topology.levels.push_back({NameAt(trees, height), LabelAt(height)});
  topology.levels.push_back({"node", std::string(kHostnameLabel)});
  std::vector<NodeFacts> nodes;
  for (const auto& tree : trees) {
    for (int32_t leaf = 0; leaf < tree->leaf_count(); ++leaf)
      nodes.push_back(NodeOf(*tree, leaf, most));
  }
  std::vector<const NodeFacts*> facts;
  for (const NodeFacts& node : nodes) facts.push_back(&node);
  return std::make_shared<const Tree>(topology, facts);
}

}  // namespace gangplan
