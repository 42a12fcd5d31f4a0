// The tree of domains in flat arrays. Levels go from the coarsest (0) to the node (last); a domain
// is (level, index). Within a level domains are ordered by path, so the children and the leaves of
// a domain are index ranges and index order is depth-first order. A domain is its whole path: equal
// values under two parents are two domains. The last level is always the node: a topology whose
// last level is not kubernetes.io/hostname gets the node as an implicit level below it.
// Immutable once built; copies and const reads from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/node_facts.h"
#include "topology/topology.h"

namespace gangplan {

// A node that cannot be placed in the tree, and the first level label that it lacks (an empty value
// is none). No node lacks the last level: its domain there is the node itself, by name.
struct UnplacedNode {
  std::string name;
  std::string missing_label;
};

class Tree {
 public:
  struct Domain {
    int level = 0;
    int32_t index = 0;
    friend bool operator==(const Domain&, const Domain&) = default;
  };
  struct Range {
    int32_t begin = 0;
    int32_t end = 0;
  };

  Tree() = default;
  // REQUIRES: `topology` came from CompleteTopology. Cost O(n log n) in the nodes.
  // leaf_source()[leaf] tells which element of `nodes` a leaf is.
  Tree(const Topology& topology, std::span<const NodeFacts* const> nodes);
  // Nodes that a tree has no more, has now, or has elsewhere.
  struct Moves {
    std::vector<int32_t> gone;             // leaves, ascending
    std::vector<std::string> names;        // of nodes that may have been unplaced, ascending
    std::vector<const NodeFacts*> coming;  // those among them that are there now
  };
  // `before` after these moves: equal to the tree of all nodes. Cost O(n + moves log n): nothing is
  // sorted or looked up for a node that stays, and the names of the lowest domains that stay as
  // they are belong to both trees. leaf_source()[leaf] is a leaf of `before`, or what is beyond
  // these an element of `coming`.
  Tree(const Tree& before, const Moves& moves);

  int level_count() const { return static_cast<int>(levels_.size()); }
  int leaf_level() const { return level_count() - 1; }
  int32_t size(int level) const { return static_cast<int32_t>(levels_[level].parent.size()); }
  int32_t leaf_count() const { return levels_.empty() ? 0 : size(leaf_level()); }
  const Level& level(int level) const { return topology_.levels[level]; }
  const Topology& topology() const { return topology_; }
  // The level with this alias or label key; -1 when there is none.
  int FindLevel(std::string_view name_or_label) const;

  int32_t parent(int level, int32_t index) const { return levels_[level].parent[index]; }
  Range children(int level, int32_t index) const {
    return {levels_[level].child_begin[index], levels_[level].child_begin[index + 1]};
  }
  Range leaves(int level, int32_t index) const {
    return {levels_[level].leaf_begin[index], levels_[level].leaf_begin[index + 1]};
  }
  // The domain of `level` that holds `leaf`. O(depth).
  int32_t Ancestor(int32_t leaf, int level) const { return Ancestor(leaf_level(), leaf, level); }
  // ... that holds the domain of level `from`, which is `level` or below it.
  int32_t Ancestor(int from, int32_t index, int level) const;
  const std::string& name(int level, int32_t index) const {
    return level < leaf_level() ? levels_[level].name[index] : LeafName(index);
  }
  // Names from the top, joined by '/': "block-1/rack-2".
  std::string Path(int level, int32_t index) const;

  std::span<const int32_t> leaf_source() const { return leaf_source_; }
  // Ordered by name.
  std::span<const UnplacedNode> unplaced() const { return unplaced_; }

 private:
  struct LevelArrays {
    std::vector<int32_t> parent;
    std::vector<int32_t> child_begin;  // size + 1; for the leaf level all zero
    std::vector<int32_t> leaf_begin;   // size + 1
    std::vector<std::string> name;     // for the leaf level empty
  };
  // Of a path: the values of the upper levels, then the node's name.
  using Names = std::vector<std::string_view>;
  struct Row {
    Names names;
    int32_t source = 0;
  };

  // Those of the nodes that have a place, in the order of `nodes`; the others are unplaced.
  std::vector<Row> RowsOf(std::span<const NodeFacts* const> nodes, int32_t first_source);
  void ReadNames(int32_t leaf, Names& names) const;
  int32_t LeafAfter(const Names& path) const;  // the first one that comes after; O(log n)
  // The leaves beside this one; empty where the node is the only level.
  Range LowestDomain(int32_t leaf) const {
    return leaf_level() == 0 ? Range{} : leaves(leaf_level() - 1, parent(leaf_level(), leaf));
  }
  const std::string& LeafName(int32_t leaf) const {
    const int above = leaf_level() - 1;
    const int32_t block = above < 0 ? 0 : parent(leaf_level(), leaf);
    return (*leaf_names_[block])[leaf - (above < 0 ? 0 : levels_[above].child_begin[block])];
  }
  // The next leaf; `last`: the names of the one before it, empty for none.
  void Append(const Names& names, const Names& last, int32_t source);
  // Opens what lies above the leaf `names` and not above `last`. False: that is nothing.
  bool OpenAbove(const Names& names, const Names& last);
  // All leaves of a lowest domain of `before`, which is opened and has none yet.
  void AppendAll(const Tree& before, Range leaves);
  void ReserveLeaves(size_t count);
  void Open(size_t level, std::string_view name);
  void AddLeafName(std::string_view name);
  void Close();

  Topology topology_;
  std::vector<LevelArrays> levels_;
  // By the domain above; one for all where the node is the only level. Those that another tree has,
  // too, are never changed.
  std::vector<std::shared_ptr<std::vector<std::string>>> leaf_names_;
  bool last_shared_ = false;  // the last of them is another tree's
  std::vector<int32_t> leaf_source_;
  std::vector<UnplacedNode> unplaced_;
};

}  // namespace gangplan
