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
// Each Job of several pods in a domain of this level of its own: its webhook has the others made
// when the first one has a node; but where nodes were labelled for the Jobs beforehand.
inline constexpr std::string_view kJobSetExclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology";
inline constexpr std::string_view kJobSetNodeSelector = "alpha.jobset.sigs.k8s.io/node-selector";

}  // namespace gangplan
