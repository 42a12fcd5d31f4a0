// A ConfigMap of the Kubernetes API from JSON to facts: SAX, iterative, with limits. Pure; any
// thread.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "topology/config_map_facts.h"

namespace gangplan {

// `json` is parsed in situ and changed. A kind may be missing, as in a list; a namespace that is
// missing is "default". Errors name the place and what was expected: "ConfigMap.data.tree: ...".
absl::StatusOr<ConfigMapFacts> DecodeConfigMap(std::string& json);

}  // namespace gangplan
