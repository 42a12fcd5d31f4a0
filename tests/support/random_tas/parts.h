// The two halves of a random case: the cluster, and what is asked of it.
#pragma once

#include "tests/conformance/placement_case.h"
#include "tests/support/random_tas/dice.h"

namespace gangplan::random_tas {

// Levels, nodes, filter, running pods and use.
void AddCluster(Dice& dice, conformance::PlacementCase& placement_case);

// Options and pod sets; the cluster is there.
void AddPodSets(Dice& dice, conformance::PlacementCase& placement_case);

}  // namespace gangplan::random_tas
