// One merge patch of an object that exists, sent patiently. Any thread, one transport each.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "extender/kube/patience.h"

namespace gangplan {

// `body` has the UID in metadata, so that another object of the same name is never touched. A
// conflict with another writer (409) passes, so the patch is repeated, as after a failure of the
// server. `what` begins the texts of errors: NotFound (gone), Aborted (another UID),
// FailedPrecondition (422: the server refuses the content), PermissionDenied, Unavailable (also:
// conflicts without end), ResourceExhausted, and those of the transport.
absl::Status SendMergePatch(Transport& transport, std::string target, std::string body,
                            std::string_view what, const CallTools& tools);

}  // namespace gangplan
