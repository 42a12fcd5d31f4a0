// Rules about a whole group, which are ours or Sakkara's, for the `tas` engine, which an operator
// may have set for every group. Pure; any thread.
#pragma once

#include <span>
#include <string>

#include "algorithms/request.h"
#include "extender/frontends/group_spec.h"
#include "topology/tree.h"

namespace gangplan {

// What of them that engine has no word for, and what to do; empty: nothing. REQUIRES: one pod set
// at least, and rules by the levels of `topology`.
std::string TasFault(std::span<const PodSetSpec> pod_sets, const Topology& topology);

// No rule is a soft pack in these words, but no wish for that engine.
void SayTasPacks(LevelRules& rules);

}  // namespace gangplan
