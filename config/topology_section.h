// The topologies of a configuration file. Stateless; any thread.
#pragma once

#include "config/section.h"
#include "config/settings.h"

namespace gangplan {

// Reads the key `topologies` of the root: each names its levels itself, by a preset, or leaves them
// to a Topology object of Kueue, to ConfigMaps of Sakkara's users or to a file. What it writes is
// complete (see CompleteTopology). Absent: `settings` stay as they are.
void ReadTopologies(Section& root, Problems& problems, Settings& settings);

}  // namespace gangplan
