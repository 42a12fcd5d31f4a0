// Requests for nodes: few, and nobody is bound by them.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "extender/kube/api_cluster.h"
#include "extender/kube/provisioning_calls.h"

namespace gangplan {

void ApiCluster::ListProvisioning(
    std::vector<std::string> by,
    std::function<void(absl::StatusOr<std::vector<ProvisioningFacts>>)> done) {
  pool_.Add(
      CallClass::kOther,
      [this, by = std::move(by), done](Transport& transport) {
        done(ReadProvisioning(transport, by, tools_));
      },
      [done](absl::Status why) { done(std::move(why)); });
}

void ApiCluster::WriteProvisioning(ProvisioningWrite write,
                                   std::function<void(absl::Status)> done) {
  pool_.Add(
      CallClass::kOther,
      [this, write = std::move(write), done](Transport& transport) {
        done(SendProvisioning(transport, write, tools_));
      },
      done);
}

void ApiCluster::DeleteProvisioning(ProvisioningDelete request,
                                    std::function<void(absl::Status)> done) {
  pool_.Add(
      CallClass::kOther,
      [this, request = std::move(request), done](Transport& transport) {
        done(SendProvisioningDelete(transport, request, tools_));
      },
      done);
}

}  // namespace gangplan
