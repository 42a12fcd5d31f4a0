// A saved `kubectl get nodes,pods -A -o json` or `-o yaml`: one list, or several YAML documents
// that are lists or single objects. Kueue's Topologies, ConfigMaps with a label of Sakkara's, Jobs
// and JobSets (and other owners beside these), and what admission follows, are read where they
// stand; other objects are left out. A file with no nodes and no pods is an error, and so is one
// object that cannot be used; a bound pod with a fault counts with what it uses, as on a cluster.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "extender/protocol/kubernetes_objects.h"

namespace gangplan {

// Errors begin with the file's name. Blocks on the file system.
absl::StatusOr<ObjectList> ReadClusterFile(const std::string& path);

// The same for text; `name` stands for the file in errors.
absl::StatusOr<ObjectList> ParseClusterText(std::string text, std::string_view name);

}  // namespace gangplan
