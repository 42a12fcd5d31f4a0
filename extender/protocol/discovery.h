// What an API server says that it serves. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gangplan {

// The kinds of one version of a group (APIResourceList), as they are listed; some stand there more
// than once. `json` is parsed in situ and changed, as below.
absl::StatusOr<std::vector<std::string>> DecodeServedKinds(std::string& json);
// "GROUP/VERSION" of each version of a group (APIGroup), as they are listed.
absl::StatusOr<std::vector<std::string>> DecodeServedVersions(std::string& json);

}  // namespace gangplan
