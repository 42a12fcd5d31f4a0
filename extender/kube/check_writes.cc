#include "extender/kube/check_writes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "extender/kube/answers.h"
#include "extender/kube/bodies.h"
#include "extender/kube/merge_patch.h"
#include "extender/kube/resource_path.h"
#include "extender/protocol/kubernetes_objects.h"
#include "fmt/format.h"
#include "topology/base/status_macros.h"

namespace gangplan {
namespace {

constexpr std::string_view kWritingCheck = "writing an admission check";

bool IsReady(const WorkloadFacts& workload, const std::string& check) {
  return std::any_of(workload.checks.begin(), workload.checks.end(), [&](const auto& one) {
    return one.name == check && one.state == CheckState::kReady;
  });
}

// Its version, while all of the checks are as they were when they were Ready.
absl::StatusOr<std::string> VersionWhileReady(Transport& transport, const std::string& ns,
                                              const CheckWrite& write, const CallTools& tools) {
  GANGPLAN_ASSIGN_OR_RETURN(
      HttpResponse answer,
      SendPatiently(
          transport,
          {.target = WorkloadPath(ns, write.workload), .read_timeout = tools.read_timeout}, tools));
  GANGPLAN_RETURN_IF_ERROR(AnswerStatus(answer, "reading a Workload"));
  GANGPLAN_ASSIGN_OR_RETURN(WorkloadFacts workload, DecodeWorkload(answer.body));
  if (workload.uid != write.uid)
    return absl::AbortedError("reading a Workload: another one has its name");
  const bool ready = workload.quota &&
                     std::all_of(write.names.begin(), write.names.end(),
                                 [&](const std::string& name) { return IsReady(workload, name); });
  if (!ready) return absl::AbortedError("its admission check is Ready no more");
  return std::move(workload.resource_version);
}

absl::Status Send(Transport& transport, const JobWrite& write, const std::string& version,
                  const CallTools& tools) {
  const CheckWrite& check = *write.check;
  return SendApply(transport, WorkloadPath(write.ns, check.workload, "status"),
                   CheckBody(write.ns, check, version, tools.clock->Now()), kWritingCheck, tools);
}

}  // namespace

absl::Status SendCheckWrite(Transport& transport, const JobWrite& write, const CallTools& tools) {
  if (!write.resource_version.empty()) return Send(transport, write, write.resource_version, tools);
  absl::Status status;
  for (int tries = 0; tries < kPatientTries; ++tries) {
    GANGPLAN_ASSIGN_OR_RETURN(const std::string version,
                              VersionWhileReady(transport, write.ns, *write.check, tools));
    status = Send(transport, write, version, tools);
    if (!absl::IsAborted(status)) return status;
  }
  // To the caller an Aborted is an end, and this one was only changed too often.
  return absl::UnavailableError(status.message());
}

absl::Status SayCheckActive(Transport& transport, const AdmissionCheckFacts& check,
                            const CallTools& tools) {
  return SendApply(transport, AdmissionCheckStatusPath(check.name),
                   ActiveBody(check, tools.clock->Now()), "writing an AdmissionCheck", tools);
}

}  // namespace gangplan
