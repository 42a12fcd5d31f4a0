// Reads a pod's owner once. Any thread, one transport each.
#pragma once

#include "absl/status/statusor.h"
#include "extender/cluster/requests.h"
#include "extender/kube/patience.h"
#include "topology/pod_facts.h"

namespace gangplan {

// NotFound when there is none, or when one of that name has another UID; PermissionDenied;
// InvalidArgument for a reference that has no path.
absl::StatusOr<OwnerFacts> ReadOwnerFacts(Transport& transport, const OwnerRead& read,
                                          const CallTools& tools);

}  // namespace gangplan
