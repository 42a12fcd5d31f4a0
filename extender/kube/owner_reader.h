// Reads a pod's owner once. Any thread, one transport each.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "extender/kube/patience.h"
#include "topology/pod_facts.h"

namespace gangplan {

// NotFound when there is none, or when one of that name has another UID; PermissionDenied;
// InvalidArgument for a reference that has no path.
absl::StatusOr<OwnerFacts> ReadOwnerFacts(Transport& transport, std::string_view ns,
                                          const OwnerRef& owner, const CallTools& tools);

}  // namespace gangplan
