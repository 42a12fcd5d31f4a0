// Starting a Job or a JobSet, or suspending one: one merge patch of it that does it; of a JobSet
// those of its Jobs come before (jobs_of_set.h). Where Kueue starts it, what its checks say
// (check_writes.h). Any thread, one transport each.
#pragma once

#include "absl/status/status.h"
#include "extender/cluster/requests.h"
#include "extender/kube/patience.h"

namespace gangplan {

// Errors as Cluster::WriteJob has them. A Job that ran before and was suspended may keep its start
// time, and then the server refuses another template: the start time is taken away, and the write
// is Aborted, since this makes a new version. A Job that is to be suspended whatever its version is
// is read first, and again after each doubt.
absl::Status SendJobWrite(Transport& transport, const JobWrite& write, const CallTools& tools);

}  // namespace gangplan
