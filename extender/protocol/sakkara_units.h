// The units and nodes of a Sakkara tree in their final order, with what is wrong with them.
// Internal to this room. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "extender/protocol/limits.h"
#include "extender/protocol/sakkara_topology.h"
#include "extender/protocol/sakkara_tree.h"

namespace gangplan {

// Fills in units, nodes and problems; gives the number of levels. O(n log n).
int ArrangeSakkaraUnits(const std::vector<SakkaraTreeUnit>& tree, SakkaraTopology& topology);

// Tells a problem, or only counts it when there are many; `text` makes its text.
template <typename Text>
void AddSakkaraProblem(SakkaraTopology& topology, std::string_view name, Text text) {
  ++topology.problem_count;
  if (topology.problems.size() < kMaxSakkaraProblems)
    topology.problems.push_back({std::string(name), text()});
}

}  // namespace gangplan
