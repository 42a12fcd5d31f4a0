// Which nodes a pod would rather have: preferred node affinity, as the Kubernetes API defines it
// (core/v1 PreferredSchedulingTerm). Pure data and a pure function.
#pragma once

#include <cstdint>
#include <span>

#include "topology/node_filter.h"

namespace gangplan {

struct PreferredTerm {
  NodeSelectorTerm term;
  int32_t weight = 1;  // 1 to 100
  friend bool operator==(const PreferredTerm&, const PreferredTerm&) = default;
};

// The weights of the terms that the node matches, added up.
int64_t PreferenceScore(std::span<const PreferredTerm> terms, const NodeFacts& node);

}  // namespace gangplan
