// A slow, obvious model of topology-aware placement as Kueue does it: recursion over a tree of
// vectors and maps, nothing cached, nothing shared with the engine. Tests hold the engine against
// it. Pure; any thread.
#pragma once

#include "tests/conformance/placement_answer.h"

namespace gangplan::tas_reference {

conformance::PlacementAnswer ReferenceAnswer(const conformance::PlacementCase& placement_case,
                                             conformance::Compatibility compatibility);

}  // namespace gangplan::tas_reference
