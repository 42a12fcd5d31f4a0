// A cluster as letters: a cell for each node, a line for each of the lowest domains, a heading for
// each of the highest. Pure; any thread.
#pragma once

#include <set>
#include <string>

#include "extender/cli/topology_answer.h"

namespace gangplan {

// `gang`: nodes of one that is shown among the others. Fit for a terminal.
std::string MapText(const TopologyAnswer& topology, const std::set<std::string>& gang,
                    bool coloured);

}  // namespace gangplan
