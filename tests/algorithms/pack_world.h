// A cluster written as its leaves, and a request of one pod set on it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/engine.h"
#include "algorithms/packs.h"
#include "tests/algorithms/reference_solver.h"
#include "tests/support/catch.h"
#include "tests/support/cluster_facts.h"
#include "topology/base/text.h"

namespace gangplan {

struct LeafSpec {
  std::string block;
  std::string rack;
  std::string node;
  int32_t now = 0;
  int32_t empty = 0;
};

inline LevelRule HardPack() {
  LevelRule rule;
  rule.hard = true;
  return rule;
}

struct PackWorld {
  explicit PackWorld(const std::vector<LeafSpec>& specs) {
    std::vector<NodeFacts> nodes;
    std::vector<const NodeFacts*> pointers;
    for (const LeafSpec& spec : specs)
      nodes.push_back(MakeNode(spec.node, {{"b", spec.block}, {"r", spec.rack}}));
    for (const NodeFacts& node : nodes) pointers.push_back(&node);
    tree = Tree(BlockRackNode(), pointers);
    PerLeaf leaves_now, leaves_empty;
    for (int32_t source : tree.leaf_source()) {
      leaves_now.push_back(specs[source].now);
      leaves_empty.push_back(std::max(specs[source].now, specs[source].empty));
    }
    now = RollUpCounts(tree, leaves_now);
    empty = RollUpCounts(tree, leaves_empty);
    request.rules.resize(tree.level_count());
  }

  PlacementResult Solve(int32_t count) {
    request.pod_sets = {
        {"workers", count, request.pod_sets.empty() ? 0 : request.pod_sets[0].first_rank}};
    return Place(
        {&tree, {&now}},
        [&] {
          return PlacementView{&tree, {&empty}};
        },
        request, Budget{});
  }

  std::vector<LevelEvidence> Evidence() {
    return Explain({&tree, {&now}}, {&tree, {&empty}}, request);
  }

  int32_t Leaf(std::string_view node) const {
    for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf) {
      if (tree.name(tree.leaf_level(), leaf) == node) return leaf;
    }
    FAIL("no such node: " << std::string(node));
    return -1;
  }

  // "n1:0,1 n2:2": nodes in order of the tree with their ranks; else the outcome in words.
  std::string Text(int32_t count) {
    PlacementResult result = Solve(count);
    switch (result.outcome) {
      case Outcome::kPlaced:
        break;
      case Outcome::kWait:
        return "wait";
      case Outcome::kImpossible:
        return "impossible";
      case Outcome::kInvalid:
        return "invalid: " + result.problem;
    }
    std::string text;
    int32_t last = -1;
    for (const PlacedMember& member : result.members) {
      const std::string& node = tree.name(tree.leaf_level(), member.leaf);
      text += member.leaf == last
                  ? fmt::format(",{}", member.rank)
                  : fmt::format("{}{}:{}", text.empty() ? "" : " ", node, member.rank);
      last = member.leaf;
    }
    return text;
  }

  // As our words have it: one domain of the level in all.
  void Hard(int level) {
    request.rules[level] = HardPack();
    BindUpwards(request.rules);
  }
  void Stand(std::string_view node, int32_t rank) {
    request.fixed.push_back({0, rank, Leaf(node)});
  }

  Tree tree;
  FitCounts now, empty;
  PlacementRequest request;
};

// The cluster of algorithms/README.md.
inline PackWorld ReadmeCluster() {
  return PackWorld({{"block-1", "rack-1", "n1", 4},
                    {"block-1", "rack-1", "n2", 4},
                    {"block-1", "rack-1", "n3", 1},
                    {"block-1", "rack-2", "n4", 2},
                    {"block-1", "rack-2", "n5", 2},
                    {"block-1", "rack-2", "n6", 2},
                    {"block-1", "rack-2", "n7", 2},
                    {"block-2", "rack-3", "n8", 4},
                    {"block-2", "rack-3", "n9", 2},
                    {"block-2", "rack-3", "n10", 3}});
}

}  // namespace gangplan
