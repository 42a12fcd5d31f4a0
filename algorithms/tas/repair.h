// Replacing failed nodes of a placed workload: the pods that stood there go elsewhere, everything
// else stays.
//
// One failed node as Kueue does it: where it breaks a slice, the lost pods are placed inside of
// that slice's domain; else, where a level is required, inside of the domain that the rest of the
// pod set is in. Several failed nodes, which Kueue gives up on (kFixed): all lost pods at once;
// first the slices that are no longer whole are filled up, innermost layer first, each inside of
// its domain, then what is left is placed as the pod set asks. A repair succeeds as a whole. A pod
// set of which nothing stands is free to go elsewhere, but for what its request is confined to.
// Pure but for the capacity that it is given.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/tas/workload.h"

namespace gangplan {

// Pods of a pod set on one node before the repair.
struct TasStanding {
  int32_t domain = -1;  // -1: not in the tree any more
  int32_t count = 0;
  int32_t failed = -1;  // the number of the failed node in order of failure; -1: it stands
};

// An answer for every pod set until the first failure. `standing[i]` belongs to pod set i, in the
// stored order; the capacity counts what stands as used. With kExact only failed node 0 is
// replaced.
std::vector<TasAnswer> RepairTasWorkload(const Tree& tree, std::span<const TasPodSet> pod_sets,
                                         std::span<const std::vector<TasStanding>> standing,
                                         TasCapacity& capacity, TasScratch& scratch);

}  // namespace gangplan
