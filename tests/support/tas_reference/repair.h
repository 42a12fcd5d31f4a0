// The repair of one pod set that lost a node: the lost pods placed anew beside those that stay.
#pragma once

#include <variant>

#include "tests/support/tas_reference/place.h"
#include "topology/tree.h"

namespace gangplan::tas_reference {

using conformance::Assignment;

// The whole assignment after the repair. What is placed anew becomes assumed use of `world`.
std::variant<Assignment, Failure> Repair(World& world, const CasePodSet& pod_set,
                                         Compatibility compatibility);

// Pods by leaf as an assignment, by path.
Assignment ToAssignment(const Tree& tree, const std::map<int, int64_t>& pods);
void Assume(World& world, const CasePodSet& pod_set, const std::map<int, int64_t>& pods);

}  // namespace gangplan::tas_reference
