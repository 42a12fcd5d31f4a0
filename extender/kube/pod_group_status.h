// The status of a PodGroup of coscheduling, written as that project's own controller writes it, and
// only while nobody else does: whoever else has written it once has it to himself. Any thread, one
// transport each.
#pragma once

#include "absl/status/status.h"
#include "extender/cluster/requests.h"
#include "extender/kube/patience.h"
#include "topology/pod_group_facts.h"

namespace gangplan {

// What that controller would have made of it when it comes to rest. One that has finished or failed
// stays as it is. Pure.
PodGroupStatus StatusAfter(const PodGroupFacts& group, const PodGroupCounts& counts);

// Reads it, and writes what differs in the version that was read. As Cluster::WritePodGroup.
absl::Status WritePodGroupStatus(Transport& transport, const PodGroupWrite& write,
                                 const CallTools& tools);

}  // namespace gangplan
