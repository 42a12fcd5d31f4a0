// The place language, the value of gangplan.io/place:
//   "block=pack!; rack=spread partitions=4 max=8; node=pack factor=2"
// Pure; any thread.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "algorithms/request.h"
#include "topology/tree.h"

namespace gangplan {

// One rule per level. InvalidArgument: `gangplan.io/place: ...` with the clause and what was
// expected. Empty text, or "any": no rule at any level.
absl::StatusOr<LevelRules> ParsePlace(std::string_view text, const Topology& topology);

}  // namespace gangplan
