// The name of a gang as people give it. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace gangplan {

// NAMESPACE/NAME, or NAME alone: of namespace `ns`, which is empty (default) or that of NAMESPACE,
// as a part of a path: percent-encoded.
absl::StatusOr<std::string> GangPath(std::string_view name, std::string_view ns);

}  // namespace gangplan
