#include "extender/app/provisioning_sweep.h"

#include <algorithm>

namespace gangplan {
namespace {

bool WillStaySo(const absl::Status& status) {
  return absl::IsNotFound(status) || absl::IsPermissionDenied(status) ||
         absl::IsUnimplemented(status);
}

}  // namespace

// Without a right, which nobody needs where none are made, nothing is told.
bool SweepProvisioning(ProvisioningDesk& desk, const std::vector<std::string>& schedulers,
                       RepeatedLog& log) {
  const auto listed = desk.List(schedulers);
  if (!listed) return false;
  if (!listed->ok()) return WillStaySo(listed->status());
  if ((*listed)->empty()) return true;
  log.Log(LogLevel::kInfo, "requests for nodes of an earlier configuration are deleted",
          {{"requests", std::to_string((*listed)->size())}});
  for (const ProvisioningFacts& one : **listed) desk.Delete(one);
  const std::vector<ProvisioningDesk::Written> failed = desk.Wait();
  return std::any_of(failed.begin(), failed.end(),
                     [](const auto& one) { return WillStaySo(one.status); });
}

}  // namespace gangplan
