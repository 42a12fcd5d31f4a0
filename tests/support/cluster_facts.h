// Short makers of topologies and nodes for tests of the model and of the engines.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "topology/node_facts.h"
#include "topology/tree.h"

namespace gangplan {

// Levels block (label "b"), rack (label "r") and node.
inline Topology BlockRackNode() {
  return CompleteTopology({"default", {{"block", "b"}, {"rack", "r"}}}).value();
}

// A ready node with these labels.
inline NodeFacts MakeNode(std::string name, LabelSet labels, ResourceList allocatable = {}) {
  NodeFacts node;
  node.name = std::move(name);
  node.labels = std::move(labels);
  std::sort(node.labels.begin(), node.labels.end());
  node.allocatable = std::move(allocatable);
  node.ready = true;
  return node;
}

}  // namespace gangplan
