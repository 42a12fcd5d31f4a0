// A saved `kubectl get nodes,pods -A -o json` or `-o yaml`: one list, or several YAML documents
// that are lists or single nodes and pods. Everything but nodes and pods in it is an error, for it
// was not asked for and would silently count for nothing.
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
