// A ConfigMap of the Kubernetes API from JSON to facts: what it is called, its labels and its data.
// SAX, iterative, with limits; nothing is known here of what the data mean. Pure; any thread.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "topology/labels.h"

namespace gangplan {

struct ConfigMapFacts {
  std::string ns;
  std::string name;
  std::string uid;
  std::string resource_version;
  LabelSet labels;
  LabelSet data;
  friend bool operator==(const ConfigMapFacts&, const ConfigMapFacts&) = default;
};

// `json` is parsed in situ and changed. A kind may be missing, as in a list; a namespace that is
// missing is "default". Errors name the place and what was expected: "ConfigMap.data.tree: ...".
absl::StatusOr<ConfigMapFacts> DecodeConfigMap(std::string& json);

}  // namespace gangplan
