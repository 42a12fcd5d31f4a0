// How the domains of an assignment are cut into slices by host name prefix. Internal to this room.
// Pure; any thread.
#pragma once

#include <span>
#include <vector>

#include "tests/conformance/topology_assignment.h"

namespace gangplan {

using DomainRun = std::span<const AssignedDomain>;

// Runs of neighbours with one key, none longer than a slice may be. The key of a host name is its
// longest prefix up to a '-' that another host name of the assignment has too; when that makes more
// slices than the format allows, prefixes are shortened by one '-' after the other, and if that
// does not help there is one run for all, cut by length only. So it is without a host name level.
// O(domains x length x dashes), times the number of shortenings.
std::vector<DomainRun> RunsByHostname(const TopologyAssignment& assignment);

// The domains cut by length only.
std::vector<DomainRun> RunsByLength(DomainRun domains);

}  // namespace gangplan
