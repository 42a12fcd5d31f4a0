// What a JobSet's controller writes on the Jobs and the pods of a JobSet, as labels and annotations
// alike. Constant data.
#pragma once

#include <string_view>

namespace gangplan {

inline constexpr std::string_view kJobSetName = "jobset.sigs.k8s.io/jobset-name";
inline constexpr std::string_view kJobSetUid = "jobset.sigs.k8s.io/jobset-uid";
inline constexpr std::string_view kReplicatedJob = "jobset.sigs.k8s.io/replicatedjob-name";
// How many Jobs there are of its replicated Job, and which of them it is.
inline constexpr std::string_view kReplicatedJobReplicas =
    "jobset.sigs.k8s.io/replicatedjob-replicas";
inline constexpr std::string_view kJobSetJobIndex = "jobset.sigs.k8s.io/job-index";
// How often the JobSet had been started anew when it was made.
inline constexpr std::string_view kRestartAttempt = "jobset.sigs.k8s.io/restart-attempt";

}  // namespace gangplan
