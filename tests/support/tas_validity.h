// Whether an answer keeps what every placement promises, whichever algorithm made it: all pods or
// none, room on every leaf, the nodes' filters, one required domain, whole slices. Says nothing
// about which of the valid placements is the right one. Pure; any thread.
#pragma once

#include <string>

#include "tests/conformance/placement_answer.h"

namespace gangplan::tas_validity {

// The first promise that the answer breaks, for people; empty: none. Elastic jobs are held to the
// number of pods only, repairs to that, to room and to whole outermost slices.
std::string Fault(const conformance::PlacementCase& placement_case,
                  const conformance::PlacementAnswer& answer,
                  conformance::Compatibility compatibility);

}  // namespace gangplan::tas_validity
