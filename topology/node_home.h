// Which topology a node is of, where there are several: the first whose selector picks it, else the
// one that has no selector. Pure; any thread.
#pragma once

#include <span>

#include "topology/labels.h"
#include "topology/model_ids.h"
#include "topology/node_scope.h"
#include "topology/topology.h"

namespace gangplan {

// A topology, and which nodes it is about.
struct ScopedTopology : Topology {
  NodeScope nodes = {};  // all: those of no other topology
  friend bool operator==(const ScopedTopology&, const ScopedTopology&) = default;
};

struct NodeHome {
  TopologyIndex topology = kNoTopology;
  bool several = false;  // the selector of another one picks it as well
  friend bool operator==(const NodeHome&, const NodeHome&) = default;
};

// O(requirements of all selectors).
NodeHome HomeOf(std::span<const ScopedTopology> topologies, const LabelSet& labels);

}  // namespace gangplan
