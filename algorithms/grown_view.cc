#include "algorithms/grown_view.h"

#include <algorithm>

#include "topology/base/text.h"
#include "topology/fit_counts.h"
#include "topology/tree.h"

namespace gangplan {
namespace {

// Names that no node has.
std::vector<NodeFacts> NodesUnder(const Tree& tree, int32_t under, int32_t most) {
  std::vector<NodeFacts> nodes(static_cast<size_t>(most));
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].name = fmt::format("+{:06}", i);
    for (int level = 0; level < tree.leaf_level(); ++level) {
      const int32_t domain = tree.Ancestor(tree.leaf_level() - 1, under, level);
      nodes[i].labels.emplace_back(tree.level(level).label, tree.name(level, domain));
    }
    std::sort(nodes[i].labels.begin(), nodes[i].labels.end());
  }
  return nodes;
}

Tree With(const Tree& tree, const std::vector<NodeFacts>& nodes) {
  Tree::Moves moves;
  for (const NodeFacts& node : nodes) {
    moves.names.push_back(node.name);
    moves.coming.push_back(&node);
  }
  return Tree(tree, moves);
}

}  // namespace

GrownView::GrownView(const PlacementView& now, const PlacementView& empty, int32_t under,
                     int32_t most)
    : now_(now), empty_(empty), tree_(With(*now.tree, NodesUnder(*now.tree, under, most))) {
  fresh_.resize(static_cast<size_t>(now_.tree->leaf_count()));
  for (int32_t leaf = 0; leaf < tree_.leaf_count(); ++leaf) {
    const int32_t source = tree_.leaf_source()[static_cast<size_t>(leaf)];
    const bool known = source < now_.tree->leaf_count();
    old_.push_back(known ? source : -1);
    if (known)
      fresh_[static_cast<size_t>(source)] = leaf;
    else
      added_.push_back(leaf);
  }
  counts_.resize(now_.counts.size());
  for (size_t set = 0; set < counts_.size(); ++set) {
    for (int level = 0; level < tree_.level_count(); ++level)
      counts_[set].levels.emplace_back(static_cast<size_t>(tree_.size(level)));
    const std::vector<int32_t>& before = now_.counts[set]->levels.back();
    std::vector<int32_t>& leaves = counts_[set].levels.back();
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
      leaves[leaf] = old_[leaf] < 0 ? 0 : before[static_cast<size_t>(old_[leaf])];
    counts_[set].RollUp(tree_);
  }
  for (const std::span<const int64_t> liked : now_.affinity) {
    std::vector<int64_t>& here = affinity_.emplace_back(liked.empty() ? 0 : old_.size());
    for (size_t leaf = 0; leaf < here.size(); ++leaf)
      here[leaf] = old_[leaf] < 0 ? 0 : liked[static_cast<size_t>(old_[leaf])];
  }
  view_ = {&tree_, {}, now_.room == nullptr ? nullptr : this};
  for (const FitCounts& counts : counts_) view_.counts.push_back(&counts);
  view_.affinity.assign(affinity_.begin(), affinity_.end());
}

void GrownView::Grow(int32_t nodes, int32_t like) {
  nodes_ = nodes;
  like_ = like;
  const auto at = static_cast<size_t>(like);
  for (size_t i = 0; i < added_.size(); ++i) {
    const bool there = static_cast<int32_t>(i) < nodes;
    for (size_t set = 0; set < counts_.size(); ++set)
      counts_[set].SetLeaf(tree_, added_[i], there ? empty_.counts[set]->levels.back()[at] : 0);
    for (size_t set = 0; set < affinity_.size(); ++set) {
      if (!affinity_[set].empty())
        affinity_[set][static_cast<size_t>(added_[i])] = now_.affinity[set][at];
    }
  }
}

PlacementRequest GrownView::Here(PlacementRequest request) const {
  for (FixedMember& member : request.fixed) member.leaf = fresh_[static_cast<size_t>(member.leaf)];
  return request;
}

int32_t GrownView::Fit(int32_t leaf, int32_t pod_set, std::span<const int32_t> taken) const {
  const int32_t old = old_[static_cast<size_t>(leaf)];
  if (old >= 0) return now_.room->Fit(old, pod_set, taken);
  const auto number = std::lower_bound(added_.begin(), added_.end(), leaf) - added_.begin();
  return number < nodes_ ? empty_.room->Fit(like_, pod_set, taken) : 0;
}

}  // namespace gangplan
