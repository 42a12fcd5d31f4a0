// The nodes of a tree, read from the planner in several short turns.
//
// Thread rule: any thread; not within a turn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "extender/app/limits.h"
#include "extender/app/locked_planner.h"
#include "topology/model.h"
#include "topology/tree.h"

namespace gangplan {

// read(model, facts, node, leaf) of each node of `tree` that still exists, until it returns false.
// A node that comes meanwhile is not told, one that goes before its turn is left out.
template <typename Read>
void EachNode(LockedPlanner& planner, const Tree& tree, Read read) {
  bool more = true;
  for (int32_t next = 0; more && next < tree.leaf_count();) {
    more = planner.Take(TurnFor::kReport, [&](Planner& inner) {
      const Model& model = inner.model();
      const int32_t end = std::min(next + kLeavesPerTurn, tree.leaf_count());
      for (; next < end; ++next) {
        const NodeIndex node = model.FindNode(tree.name(tree.leaf_level(), next));
        const NodeFacts* facts = node == kNoNode ? nullptr : model.Facts(node);
        if (facts != nullptr && !read(model, *facts, node, next)) return false;
      }
      return true;
    });
  }
}

// The trees of all topologies as they stand, also when others are made.
std::vector<std::shared_ptr<const Tree>> TreesNow(LockedPlanner& planner);

// Nodes of no topology, by name; where there is one without a selector they cost one short turn.
std::vector<std::string> NodesInNone(LockedPlanner& planner);
// Those, and the ones that lack the label of a level.
int64_t UnplacedIn(const Model& model);

// What the use of nodes is shown by: the first extended resource of the cluster (a device), else
// cpu.
std::string ShownResource(LockedPlanner& planner,
                          const std::vector<std::shared_ptr<const Tree>>& trees);

}  // namespace gangplan
