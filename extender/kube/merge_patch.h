// One merge patch of an object that exists, or an eviction, sent patiently. Any thread, one
// transport each.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "extender/kube/patience.h"

namespace gangplan {

// `body` has the UID in metadata, so that another object of the same name is never touched. A
// conflict with another writer (409) passes, so the patch is repeated, as after a failure of the
// server. `what` begins the texts of errors: NotFound (gone), Aborted (another UID),
// FailedPrecondition (422: the server refuses the content), PermissionDenied, Unavailable (also:
// conflicts without end), ResourceExhausted, and those of the transport.
absl::Status SendMergePatch(Transport& transport, std::string target, std::string body,
                            std::string_view what, const CallTools& tools);

// Whether `body` has a version in metadata, or among its preconditions, beside the UID.
enum class PatchOf { kAnyVersion, kOneVersion };
// Of a body that names this version; empty: none.
inline PatchOf VersionOf(std::string_view resource_version) {
  return resource_version.empty() ? PatchOf::kAnyVersion : PatchOf::kOneVersion;
}

// Likewise of a strategic merge patch, which takes single elements out of lists by their names. A
// conflict of one version does not pass and is Aborted: the object is of another version by now.
// After an earlier try of the same patch, which may have made it so, it is Unavailable.
absl::Status SendStrategicPatch(Transport& transport, std::string target, std::string body,
                                std::string_view what, PatchOf of, const CallTools& tools);

// Likewise of a merge patch; the answer has the object as it is after the patch.
absl::StatusOr<HttpResponse> PatchObject(Transport& transport, std::string target, std::string body,
                                         std::string_view what, PatchOf of, const CallTools& tools);

// Likewise of an eviction, and of a DELETE: OK also where the pod only begins to end, and where it
// is gone, or another one, after an earlier try of these that may have been done.
// FailedPrecondition also: a disruption budget keeps it, which none does before it runs.
absl::Status SendEviction(Transport& transport, std::string target, std::string body,
                          std::string_view what, PatchOf of, const CallTools& tools);

absl::Status SendDelete(Transport& transport, std::string target, std::string body,
                        std::string_view what, PatchOf of, const CallTools& tools);

// Likewise of a server-side apply, in the name of "gangplan" and whoever wrote these fields before,
// of one version where the body has one. Idempotent, but for the version.
absl::Status SendApply(Transport& transport, std::string target, std::string body,
                       std::string_view what, const CallTools& tools);

// Likewise of a merge patch of one version, sent a single time; any conflict is Aborted.
// `asked_wait`: what the server asks to wait before another request.
absl::Status PatchOnce(Transport& transport, std::string target, std::string body,
                       std::string_view what, const CallTools& tools, absl::Duration* asked_wait);

}  // namespace gangplan
