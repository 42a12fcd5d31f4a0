// The name of a gang as people give it. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace gangplan {

// "NAMESPACE/NAME", as a part of a path: percent-encoded.
absl::StatusOr<std::string> GangPath(std::string_view name);

}  // namespace gangplan
