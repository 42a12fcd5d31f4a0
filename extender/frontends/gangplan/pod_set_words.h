// The pod sets of a group as its pods list them: gangplan.io/pod-sets: "leader=1,workers=8".
// Pure functions; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "extender/frontends/group_spec.h"

namespace gangplan {

// In the order of the list. InvalidArgument: `gangplan.io/pod-sets: ...` with the entry and what
// was expected: no name, a bad or repeated one, a count out of bounds, too many in all.
absl::StatusOr<std::vector<PodSetCount>> ParsePodSets(std::string_view text);
// InvalidArgument: `word: ...` unless it is 1 to 63 letters, digits, '-', '_' and '.'.
absl::Status CheckPodSetName(std::string_view word, std::string_view name);

}  // namespace gangplan
