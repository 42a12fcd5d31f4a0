#include "extender/kube/pod_group_status.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "extender/kube/answers.h"
#include "extender/kube/bodies.h"
#include "extender/kube/merge_patch.h"
#include "extender/kube/resource_path.h"
#include "extender/protocol/pod_group_object.h"
#include "extender/protocol/pod_group_words.h"
#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

constexpr std::string_view kPending = "Pending";
constexpr std::string_view kScheduling = "Scheduling";
constexpr std::string_view kRunning = "Running";
constexpr std::string_view kFailed = "Failed";
constexpr std::string_view kFinished = "Finished";

// The name by which the API server keeps our writes apart, from our User-Agent.
constexpr std::string_view kOurManager = "gangplan";

bool IsOver(const PodGroupStatus& status) {
  return status.phase == kFinished || status.phase == kFailed;
}

// The rules stand one after the other, so that the last one that is true counts.
std::string_view PhaseOf(const PodGroupStatus& status, int64_t least) {
  std::string_view phase = kScheduling;
  const int64_t done_or_running = status.succeeded + status.running;
  if (done_or_running >= least) phase = kRunning;
  if (status.failed != 0 && status.failed + done_or_running >= least) phase = kFailed;
  if (status.succeeded >= least) phase = kFinished;
  return phase;
}

// One look of the controller.
PodGroupStatus Step(PodGroupStatus status, int64_t least, const PodGroupCounts& counts) {
  if (IsOver(status)) return status;
  if (status.phase.empty()) {
    status.phase = kPending;
  } else if (status.phase == kPending) {
    if (counts.pods < least) return status;
    status.phase = kScheduling;
    if (!counts.occupied_by.empty()) status.occupied_by = counts.occupied_by;
  } else {
    status.running = counts.running;
    status.succeeded = counts.succeeded;
    status.failed = counts.failed;
    status.phase = counts.pods < least ? kPending : PhaseOf(status, least);
  }
  return status;
}

absl::StatusOr<PodGroupFacts> Read(Transport& transport, const std::string& path,
                                   const PodGroupWrite& write, const CallTools& tools) {
  GANGPLAN_ASSIGN_OR_RETURN(
      HttpResponse answer,
      SendPatiently(transport, {.target = path, .read_timeout = tools.read_timeout}, tools));
  GANGPLAN_RETURN_IF_ERROR(
      AnswerStatus(answer, fmt::format("reading PodGroup {}/{}", write.ns, write.name)));
  return DecodePodGroup(answer.body, kOurManager);
}

}  // namespace

// Its own writes wake it, so that it looks again until nothing changes: empty, Pending, Scheduling,
// and what it counts; a fifth look would find the same.
PodGroupStatus StatusAfter(const PodGroupFacts& group, const PodGroupCounts& counts) {
  PodGroupStatus status = group.status;
  for (int looks = 0; looks < 4; ++looks) status = Step(status, group.min_member, counts);
  return status;
}

absl::Status WritePodGroupStatus(Transport& transport, const PodGroupWrite& write,
                                 const CallTools& tools) {
  const OwnerRef ref{std::string(kPodGroupVersion), std::string(kPodGroupKind), write.name, {}};
  GANGPLAN_ASSIGN_OR_RETURN(const std::string path, OwnerPath(write.ns, ref));
  const std::string what =
      fmt::format("writing the status of PodGroup {}/{}", write.ns, write.name);
  Backoff backoff(kFirstWait, kLongestWait, tools.jitter);
  for (int tries = 1;; ++tries) {
    GANGPLAN_ASSIGN_OR_RETURN(const PodGroupFacts group, Read(transport, path, write, tools));
    if (!group.other_writer.empty())
      return absl::AbortedError(ToAbsl(fmt::format("{}: {} writes it", what, group.other_writer)));
    const PodGroupStatus status = StatusAfter(group, write.counts);
    if (status == group.status) return absl::OkStatus();
    absl::Duration asked;
    const absl::Status written = PatchOnce(transport, path + "/status",
                                           PodGroupStatusBody(group, status), what, tools, &asked);
    if (!absl::IsAborted(written)) return written;
    const bool ends = tries == kPatientTries || asked > kLongestWait ||
                      !tools.pause->For(std::max(asked, backoff.Next()));
    // To the caller an Aborted is somebody else's, and this one was only changed too often.
    if (ends) return absl::UnavailableError(written.message());
  }
}

}  // namespace gangplan
