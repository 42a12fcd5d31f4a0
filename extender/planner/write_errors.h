// What the errors mean that come of a write of an owner or a pod, as Cluster tells them. Pure
// functions.
#pragma once

#include "absl/status/status.h"

namespace gangplan {

// It was not done, and will not be when it is sent once more.
inline bool WasRefused(const absl::Status& status) {
  return absl::IsPermissionDenied(status) || absl::IsFailedPrecondition(status) ||
         absl::IsUnimplemented(status) || absl::IsInvalidArgument(status);
}

// Nobody can tell whether it was done.
inline bool IsInDoubt(const absl::Status& status) {
  return !status.ok() && !absl::IsNotFound(status) && !absl::IsAborted(status) &&
         !WasRefused(status);
}

}  // namespace gangplan
