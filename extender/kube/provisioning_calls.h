// Requests for nodes at the API server: listed by whose they are, made together with their pod
// templates, deleted. What may have been written before is looked at and left as it is, so that
// each call may be made again. One transport each, any thread. Errors as Cluster has them.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "extender/cluster/provisioning.h"
#include "extender/kube/patience.h"

namespace gangplan {

// Up to kMaxListedProvisioning of them.
absl::StatusOr<std::vector<ProvisioningFacts>> ReadProvisioning(Transport& transport,
                                                                const std::vector<std::string>& by,
                                                                const CallTools& tools);

// First the request, whose UID its templates have as their owner's. Unavailable also where what has
// the name of one of them is just going.
absl::Status SendProvisioning(Transport& transport, const ProvisioningWrite& write,
                              const CallTools& tools);

absl::Status SendProvisioningDelete(Transport& transport, const ProvisioningDelete& request,
                                    const CallTools& tools);

}  // namespace gangplan
