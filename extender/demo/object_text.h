// Kubernetes objects from facts: what `kubectl apply` takes, what a scheduler sends, and what
// extender/protocol's decoder turns into the same facts again. Equal facts give equal bytes.
//
// Written is what made objects have: no taints, selectors, affinity, tolerations or gates; nodes
// that are ready; pods of one container. Pure; any thread.
#pragma once

#include <string>

#include "extender/protocol/kubernetes_objects.h"

namespace gangplan {

// REQUIRES: the object has nothing that is not written.
std::string NodeJson(const NodeFacts& node);
std::string PodJson(const PodFacts& pod);

// A `kind: List` of the nodes and pods; in JSON each on a line of its own.
std::string ClusterJson(const ObjectList& cluster);
std::string ClusterYaml(const ObjectList& cluster);

// "192", "1500m", "2Ti", "110": the shortest quantity.
std::string QuantityText(const ResourceAmount& amount);

}  // namespace gangplan
