// Kueue's Workloads and AdmissionChecks (kueue.x-k8s.io/v1beta2): of a Workload the quota that it
// has, where its checks stand and where Kueue has placed it, of a check who runs it. SAX,
// iterative, with limits; of its templates what placed pods take and whose they are, all else its
// owner tells. Internal to this room. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "extender/protocol/kubernetes_objects.h"

namespace gangplan {

// One of the two.
bool IsKueueKind(std::string_view kind);
// See DecodeList and DecodeWatchEvent, of `kind`.
absl::StatusOr<ObjectList> DecodeKueueList(std::string& json, std::string_view kind);
absl::StatusOr<WatchEvent> DecodeKueueEvent(std::string& line, std::string_view kind);

}  // namespace gangplan
