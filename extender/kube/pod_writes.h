// The small writes of a waiting pod: nominate it, wake it, take its gate away, and end it. Any
// thread, one transport each.
//
// Errors: those of merge_patch.h; a pod that is bound already cannot be nominated
// (FailedPrecondition).
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "extender/cluster/requests.h"
#include "extender/kube/answers.h"
#include "extender/kube/patience.h"

namespace gangplan {

// Servers before this minor version do not wake a pod by a change of its status.
inline constexpr int kFirstMinorThatWakesByStatus = 32;

// How long the version of such a server is believed: it may be a newer one by then.
inline constexpr absl::Duration kOldVersionKept = absl::Minutes(1);

// The server's version, read when it is first needed and then kept; that of a server that does not
// wake by status for kOldVersionKept only. Any thread.
class VersionMemory {
 public:
  absl::StatusOr<ServerVersion> Get(Transport& transport, const CallTools& tools);

 private:
  Mutex mutex_;
  std::optional<ServerVersion> version_ ABSL_GUARDED_BY(mutex_);
  absl::Time read_ ABSL_GUARDED_BY(mutex_);
};

// Unimplemented when the server is too old to wake by it.
absl::Status PatchNomination(Transport& transport, const Nomination& nomination,
                             VersionMemory& version, const CallTools& tools);
// Takes the gates that are ours away and gives it its nodes; FailedPrecondition also where its
// gates are gone and it has other nodes, Aborted where the pod is of another version by now.
absl::Status PatchRelease(Transport& transport, const PodRelease& release, const CallTools& tools);
// Deletes the pod by the eviction API, which marks it by the condition DisruptionTarget first: a
// Job whose failure policy says so does not count it; or asks whether that would be done; or
// deletes it without that API. Errors as above; FailedPrecondition also where a disruption budget
// is against it: what waits for that to change asks anew.
absl::Status EndPod(Transport& transport, const PodDelete& pod, const CallTools& tools);
absl::Status WakePod(Transport& transport, const PodRef& pod, const CallTools& tools);

}  // namespace gangplan
