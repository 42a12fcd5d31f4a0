// Labels by which Kueue's workloads are known: what it queues, and the pods that it has started.
// Constant data; any thread.
#pragma once

#include <string_view>

namespace gangplan {

inline constexpr std::string_view kKueueQueueLabel = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kKueueManagedLabel = "kueue.x-k8s.io/managed";
// An annotation: of which Workload a pod is.
inline constexpr std::string_view kKueueWorkloadAnnotation = "kueue.x-k8s.io/workload";
// Of an elastic Job's Workload the name of its first one, whose place that of this one repeats.
inline constexpr std::string_view kKueueSliceAnnotation = "kueue.x-k8s.io/workload-slice-name";
inline constexpr std::string_view kKueuePodSetLabel = "kueue.x-k8s.io/podset";

}  // namespace gangplan
