#include "extender/kube/pod_writes.h"

#include <set>
#include <string>

#include "extender/kube/bodies.h"
#include "extender/kube/budgets.h"
#include "extender/kube/merge_patch.h"
#include "extender/kube/resource_path.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

bool WakesByStatus(const ServerVersion& version) {
  return version.major > 1 || version.minor >= kFirstMinorThatWakesByStatus;
}

}  // namespace

absl::StatusOr<ServerVersion> VersionMemory::Get(Transport& transport, const CallTools& tools) {
  {
    MutexLock lock(mutex_);
    const bool holds =
        version_ && (WakesByStatus(*version_) || tools.clock->Now() - read_ < kOldVersionKept);
    if (holds) return *version_;
  }
  GANGPLAN_ASSIGN_OR_RETURN(
      const HttpResponse answer,
      SendPatiently(transport, {.target = "/version", .read_timeout = tools.read_timeout}, tools));
  GANGPLAN_RETURN_IF_ERROR(AnswerStatus(answer, "reading the server's version"));
  GANGPLAN_ASSIGN_OR_RETURN(const ServerVersion version, ParseServerVersion(answer.body));
  MutexLock lock(mutex_);
  version_ = version;
  read_ = tools.clock->Now();
  return version;
}

absl::Status PatchNomination(Transport& transport, const Nomination& nomination,
                             VersionMemory& version, const CallTools& tools) {
  GANGPLAN_ASSIGN_OR_RETURN(const ServerVersion server, version.Get(transport, tools));
  if (!WakesByStatus(server)) {
    return absl::UnimplementedError(
        ToAbsl(fmt::format("Kubernetes {}.{} does not wake a pod by a nomination; 1.{} does",
                           server.major, server.minor, kFirstMinorThatWakesByStatus)));
  }
  const PodRef& pod = nomination.pod;
  return SendMergePatch(transport, PodPath(pod.ns, pod.name, "status"),
                        NominationBody(pod.uid, nomination.node), "nominating", tools);
}

absl::Status PatchRelease(Transport& transport, const PodRelease& release, const CallTools& tools) {
  return SendStrategicPatch(transport, PodPath(release.pod.ns, release.pod.name),
                            PodReleaseBody(release), "releasing a pod",
                            VersionOf(release.resource_version), tools);
}

absl::Status EndPod(Transport& transport, const PodDelete& pod, const CallTools& tools) {
  if (pod.how == PodDelete::How::kForce)
    return SendDelete(transport, PodPath(pod.pod.ns, pod.pod.name), DeleteBody(pod),
                      "deleting a pod", VersionOf(pod.resource_version), tools);
  if (!pod.together.empty()) {  // first: it tells of all of them who is kept
    const std::set<std::string, std::less<>> uids(pod.together.begin(), pod.together.end());
    GANGPLAN_RETURN_IF_ERROR(AskBudgets(transport, pod.pod.ns, uids, tools));
  }
  return SendEviction(transport, PodPath(pod.pod.ns, pod.pod.name, "eviction"), EvictionBody(pod),
                      "evicting a pod", VersionOf(pod.resource_version), tools);
}

absl::Status WakePod(Transport& transport, const PodRef& pod, const CallTools& tools) {
  return SendMergePatch(transport, PodPath(pod.ns, pod.name), WakeBody(pod.uid, tools.clock->Now()),
                        "waking", tools);
}

}  // namespace gangplan
