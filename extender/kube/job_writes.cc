#include "extender/kube/job_writes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "extender/cluster/annotations.h"
#include "extender/kube/answers.h"
#include "extender/kube/bodies.h"
#include "extender/kube/merge_patch.h"
#include "extender/kube/resource_path.h"
#include "extender/protocol/kubernetes_objects.h"
#include "topology/base/status_macros.h"

namespace gangplan {
namespace {

// `Job.batch "j" is invalid: spec.template: Invalid value: ...: field is immutable`. What is wrong
// inside of a template has a longer path.
bool RefusesTemplate(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) &&
         status.message().find("spec.template: ") != absl::string_view::npos;
}

PatchOf VersionOf(const JobWrite& write) {
  return write.resource_version.empty() ? PatchOf::kAnyVersion : PatchOf::kOneVersion;
}

absl::Status SendOnce(Transport& transport, const JobWrite& write, const CallTools& tools) {
  return PatchObject(transport, JobPath(write.ns, write.job.name), JobBody(write), "writing a Job",
                     VersionOf(write), tools)
      .status();
}

// OK: it has none any more, and is of another version for it. FailedPrecondition: it had none.
absl::Status TakeStartTime(Transport& transport, const JobWrite& write, const CallTools& tools) {
  GANGPLAN_ASSIGN_OR_RETURN(
      HttpResponse answer,
      PatchObject(transport, JobPath(write.ns, write.job.name, "status"),
                  NoStartTimeBody(write.job.uid, write.resource_version),
                  "taking the start time from a Job", PatchOf::kOneVersion, tools));
  GANGPLAN_ASSIGN_OR_RETURN(const JobFacts job, DecodeJob(answer.body));
  if (job.resource_version != write.resource_version) return absl::OkStatus();
  return absl::FailedPreconditionError("the Job has no start time");
}

absl::Status Start(Transport& transport, const JobWrite& write, const CallTools& tools) {
  const absl::Status written = SendOnce(transport, write, tools);
  const bool may_take = write.required_terms && !write.resource_version.empty();
  if (!may_take || !RefusesTemplate(written)) return written;
  const absl::Status taken = TakeStartTime(transport, write, tools);
  if (absl::IsFailedPrecondition(taken)) return written;
  GANGPLAN_RETURN_IF_ERROR(taken);
  return absl::AbortedError("its start time had to be taken away; it is of another version now");
}

absl::StatusOr<JobFacts> ReadJob(Transport& transport, const JobWrite& write,
                                 const CallTools& tools) {
  GANGPLAN_ASSIGN_OR_RETURN(HttpResponse answer,
                            SendPatiently(transport,
                                          {.target = JobPath(write.ns, write.job.name),
                                           .read_timeout = tools.read_timeout},
                                          tools));
  GANGPLAN_RETURN_IF_ERROR(AnswerStatus(answer, "reading a Job"));
  GANGPLAN_ASSIGN_OR_RETURN(JobFacts job, DecodeJob(answer.body));
  if (job.owner.ref.uid != write.job.uid)
    return absl::AbortedError("reading a Job: another one has its name");
  if (job.resource_version.empty())
    return absl::InternalError("reading a Job: it has no resourceVersion");
  return job;
}

bool IsMarked(const JobFacts& job) {
  const std::string* mark = FindLabel(job.owner.labels, kSuspendedLabel);
  return mark != nullptr && *mark == kSuspendedValue;
}

// What came of a patch is to be read.
bool IsOpen(const absl::Status& status) {
  return absl::IsAborted(status) || absl::IsUnavailable(status) || absl::IsUnknown(status) ||
         absl::IsResourceExhausted(status);
}

// Each patch is of the version that was just read. What came of one is only told by the next read:
// one that was sent again might meet a Job that its user has suspended meanwhile.
absl::Status SuspendAsRead(Transport& transport, JobWrite write, const CallTools& tools) {
  Backoff backoff(kFirstWait, kLongestWait, tools.jitter);
  for (int tries = 1;; ++tries) {
    GANGPLAN_ASSIGN_OR_RETURN(JobFacts job, ReadJob(transport, write, tools));
    if (job.suspended && IsMarked(job)) return absl::OkStatus();
    if (job.suspended)
      return absl::AbortedError("suspending a Job: somebody else has suspended it");
    if (job.finished) return absl::AbortedError("suspending a Job: it is finished");
    write.resource_version = std::move(job.resource_version);
    absl::Duration asked;
    const absl::Status status = PatchOnce(transport, JobPath(write.ns, write.job.name),
                                          JobBody(write), "suspending a Job", tools, &asked);
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
  if (!write.suspend) return Start(transport, write, tools);
  if (write.resource_version.empty()) return SuspendAsRead(transport, write, tools);
  return SendOnce(transport, write, tools);
}

}  // namespace gangplan
