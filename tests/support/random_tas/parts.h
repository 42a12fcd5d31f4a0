// The two halves of a random case: the cluster, and what is asked of it.
#pragma once

#include "tests/conformance/placement_case.h"
#include "tests/support/random_tas/dice.h"

namespace gangplan::random_tas {

// What a case is about: what needs many things at once is rare otherwise.
enum class Focus {
  kAny,
  kBalance,  // balanced placement on a wide and roomy tree, often with a leader
  kLayers,   // two or three layers of slices on three or four levels
};

// Levels, nodes, filter, running pods and use.
void AddCluster(Dice& dice, Focus focus, conformance::PlacementCase& placement_case);

// Options and pod sets; the cluster is there.
void AddPodSets(Dice& dice, Focus focus, conformance::PlacementCase& placement_case);

}  // namespace gangplan::random_tas
