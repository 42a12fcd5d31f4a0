// The topologies of a configuration file. Stateless; any thread.
#pragma once

#include <vector>

#include "config/section.h"
#include "topology/tree.h"

namespace gangplan {

// Reads the key `topologies` of the root: exactly one element, which names its levels itself or by
// a preset. What it writes is complete (see CompleteTopology). Absent: `target` stays as it is.
void ReadTopologies(Section& root, Problems& problems, std::vector<Topology>& target);

}  // namespace gangplan
