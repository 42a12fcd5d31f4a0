// Kueue's Topology object (kueue.x-k8s.io, v1beta1 and v1beta2) to the levels of a topology. SAX,
// iterative, with limits. Pure; any thread.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "topology/tree.h"

namespace gangplan {

// The levels as the object has them, coarsest first: 1 to 16, different label keys of at most 316
// bytes, kubernetes.io/hostname only as the last one; no level is added. A level is named after its
// label: "node" for the host name, else what follows the slash, or the whole key where two levels
// would share a name. `json` is parsed in situ and changed. Errors name the place and what was
// expected: "Topology.spec.levels[1].nodeLabel: ...".
absl::StatusOr<Topology> DecodeKueueTopology(std::string& json);

}  // namespace gangplan
