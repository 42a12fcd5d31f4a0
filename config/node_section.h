// Which nodes are this Gangplan's, by a configuration file. Stateless; any thread.
#pragma once

#include "config/section.h"
#include "topology/node_scope.h"

namespace gangplan {

// Reads the key `nodes`, a label selector as Kubernetes has it: matchLabels, then matchExpressions,
// all of which hold.
void ReadNodes(Section section, Problems& problems, NodeScope& nodes);

}  // namespace gangplan
