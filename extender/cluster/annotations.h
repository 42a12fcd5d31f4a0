// The annotations that Gangplan itself writes on pods, and what it marks Jobs by. Public: people
// read them, and so does a restart.
#pragma once

#include <string_view>

namespace gangplan {

// By the Binding: the member's rank in its pod set, the path of its domain, and whose plan it was.
inline constexpr std::string_view kAssignedRankAnnotation = "gangplan.io/assigned-rank";
inline constexpr std::string_view kAssignedDomainAnnotation = "gangplan.io/assigned-domain";
inline constexpr std::string_view kPlanAnnotation = "gangplan.io/plan";
// Likewise, where the plan is by another rung of its ladder than the first: which, counted from 0.
inline constexpr std::string_view kAssignedRungAnnotation = "gangplan.io/assigned-rung";
// On one pod of a gang that is evicted: the gang that it gives way to. Whoever finds it on a pod
// that runs evicts the rest of its gang.
inline constexpr std::string_view kEvictedForAnnotation = "gangplan.io/evicted-for";
// Only there to cause an update event: the time.
inline constexpr std::string_view kWakeAnnotation = "gangplan.io/wake";

// Kubernetes' own, on a pod that a kubelet has made of a file: deleting it ends nothing.
inline constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";

// On a Job, a label: it waits suspended until Gangplan starts it. Whoever suspends a Job for
// Gangplan sets it, and the start takes it away: a Job that is suspended without it is somebody
// else's.
inline constexpr std::string_view kSuspendedLabel = "gangplan.io/suspended";
inline constexpr std::string_view kSuspendedValue = "true";  // no other value is a mark
// On a Job, or on a pod that was released from its gate: its template's, or its own, required node
// affinity has our nodes in it, and how.
inline constexpr std::string_view kPinnedAnnotation = "gangplan.io/pinned";
// On a Job that was suspended again: it is not started before that time (RFC 3339).
inline constexpr std::string_view kNotBeforeAnnotation = "gangplan.io/not-before";

}  // namespace gangplan
