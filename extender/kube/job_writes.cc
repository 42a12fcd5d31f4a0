#include "extender/kube/job_writes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "extender/cluster/annotations.h"
#include "extender/kube/answers.h"
#include "extender/kube/bodies.h"
#include "extender/kube/check_writes.h"
#include "extender/kube/jobs_of_set.h"
#include "extender/kube/merge_patch.h"
#include "extender/kube/resource_path.h"
#include "extender/protocol/kubernetes_objects.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"
#include "topology/owner_kinds.h"

namespace gangplan {
namespace {

absl::Status SendOnce(Transport& transport, const OwnerKind& kind, const JobWrite& write,
                      const CallTools& tools) {
  return PatchObject(transport, KindPath(kind, write.ns, write.job.name), JobBody(write),
                     fmt::format("writing a {}", kind.kind), VersionOf(write.resource_version),
                     tools)
      .status();
}

absl::Status Start(Transport& transport, const OwnerKind& kind, const JobWrite& write,
                   const CallTools& tools) {
  if (!kind.pins_own_template) GANGPLAN_RETURN_IF_ERROR(WriteJobsOf(transport, write, tools));
  const absl::Status written = SendOnce(transport, kind, write, tools);
  const bool may_take =
      kind.pins_own_template && !write.templates.empty() && !write.resource_version.empty();
  if (!may_take || !RefusesTemplate(written)) return written;
  const absl::Status taken =
      TakeStartTime(transport, write.ns, write.job, write.resource_version, tools);
  if (absl::IsFailedPrecondition(taken)) return written;
  GANGPLAN_RETURN_IF_ERROR(taken);
  return absl::AbortedError("its start time had to be taken away; it is of another version now");
}

bool IsMarked(const JobFacts& job) {
  const std::string* mark = FindLabel(job.owner.labels, kSuspendedLabel);
  return mark != nullptr && *mark == kSuspendedValue;
}

// As this write would leave it.
bool Says(const JobFacts& job, const JobWrite& write) {
  return std::all_of(write.annotations.begin(), write.annotations.end(), [&](const auto& word) {
    const std::string* said = FindLabel(job.owner.annotations, word.first);
    return said == nullptr ? !word.second : word.second == *said;
  });
}

// What came of a patch is to be read.
bool IsOpen(const absl::Status& status) {
  return absl::IsAborted(status) || absl::IsUnavailable(status) || absl::IsUnknown(status) ||
         absl::IsResourceExhausted(status);
}

// Each patch is of the version that was just read. What came of one is only told by the next read:
// one that was sent again might meet a Job that its user has suspended meanwhile. One that waits
// already gets a version of its own: a start that is on its way for the last one fails.
absl::Status SuspendAsRead(Transport& transport, const OwnerKind& kind, JobWrite write,
                           const CallTools& tools) {
  const std::string what = fmt::format("suspending a {}", kind.kind);
  Backoff backoff(kFirstWait, kLongestWait, tools.jitter);
  for (int tries = 1;; ++tries) {
    GANGPLAN_ASSIGN_OR_RETURN(JobFacts job, ReadOwner(transport, kind, write, tools));
    if (job.suspended && IsMarked(job) && Says(job, write)) return absl::OkStatus();
    if (job.suspended && !IsMarked(job))
      return absl::AbortedError(what + ": somebody else has suspended it");
    if (job.finished) return absl::AbortedError(what + ": it is finished");
    if (write.evicts && !job.managed_by.empty())
      return absl::FailedPreconditionError(
          ToAbsl(fmt::format("{}: {} would start it again", what, job.managed_by)));
    write.resource_version = std::move(job.resource_version);
    absl::Duration asked;
    const absl::Status status = PatchOnce(transport, KindPath(kind, write.ns, write.job.name),
                                          JobBody(write), what, tools, &asked);
    if (!IsOpen(status)) return status;
    const bool ends = tries == kPatientTries || asked > kLongestWait ||
                      !tools.pause->For(std::max(asked, backoff.Next()));
    if (!ends) continue;
    // To the caller an Aborted is an end, and this one was only changed too often.
    return absl::IsAborted(status) ? absl::UnavailableError(status.message()) : status;
  }
}

}  // namespace

absl::Status SendJobWrite(Transport& transport, const JobWrite& write, const CallTools& tools) {
  if (write.check) return SendCheckWrite(transport, write, tools);
  const OwnerKind* kind = FindOwnerKind(write.job.kind);
  if (kind == nullptr)
    return absl::UnimplementedError(ToAbsl(fmt::format("nobody starts a {}", write.job.kind)));
  if (!write.suspend) return Start(transport, *kind, write, tools);
  if (write.resource_version.empty()) return SuspendAsRead(transport, *kind, write, tools);
  return SendOnce(transport, *kind, write, tools);
}

}  // namespace gangplan
