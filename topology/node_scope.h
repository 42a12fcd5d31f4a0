// Which nodes of a cluster are those of one Gangplan: those whose labels meet each requirement.
// Several pairs of a scheduler and Gangplan share a cluster by scopes that have no node in common.
// Pure data and pure functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "topology/labels.h"
#include "topology/node_filter.h"

namespace gangplan {

struct NodeScope {
  std::vector<SelectorRequirement> labels;  // empty: every node

  bool all() const { return labels.empty(); }
  friend bool operator==(const NodeScope&, const NodeScope&) = default;
};

bool IsWithin(const NodeScope& scope, const LabelSet& labels);

// As `kubectl get nodes -l` takes it: "pool=a,tier in (x,y),!spare"; empty for every node.
std::string ScopeText(const NodeScope& scope);

// What keeps them out: "pool=b, expected pool=a"; by the first requirement that they do not meet.
std::string WhyOutside(const NodeScope& scope, const LabelSet& labels);

}  // namespace gangplan
