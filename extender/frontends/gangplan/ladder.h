// A ladder: the value of gangplan.io/place with rungs, each of which asks for less once the gang
// has waited so long:
//   "rack=pack! | after 10m: block=pack! | after 1h: any"
// Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/frontends/group_spec.h"
#include "topology/tree.h"

namespace gangplan {

// One rung at least, by rising time; of a text without rungs the only one. InvalidArgument:
// `gangplan.io/place: ...` with the part and what was expected.
absl::StatusOr<std::vector<Rung>> ParseLadder(std::string_view text, const Topology& topology);

}  // namespace gangplan
