// Asks an API server what somebody may do, without doing it. Blocks; any thread, one transport
// each.
#pragma once

#include "absl/status/statusor.h"
#include "extender/kube/access.h"
#include "extender/kube/patience.h"

namespace gangplan {

// False: it may not, or nobody knows that it may. PermissionDenied where who asks may not ask that.
absl::StatusOr<bool> MayDo(Transport& transport, const Access& access, const Account& account,
                           const CallTools& tools);

// Likewise of somebody else, asked once: who waits for the answer has no patience.
absl::StatusOr<bool> MayDo(Transport& transport, const Access& access, const User& user,
                           absl::Duration read_timeout);

}  // namespace gangplan
