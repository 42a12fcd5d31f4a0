// Saying in Kueue's admission checks where a gang stands, by server-side apply: our entries of a
// Workload's status alone, whatever stands beside them. Any thread, one transport each.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "extender/cluster/requests.h"
#include "extender/kube/patience.h"

namespace gangplan {

// Errors as Cluster::WriteJob has them. A write of any version (a Retry) reads the Workload first:
// Aborted unless it has quota and all of the checks are Ready.
absl::Status SendCheckWrite(Transport& transport, const JobWrite& write, const CallTools& tools);

// Whether we answer the check.
absl::Status SayCheckActive(Transport& transport, const AdmissionCheckFacts& check,
                            const CallTools& tools);

}  // namespace gangplan
