// What we write, as JSON text. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "extender/cluster/requests.h"
#include "extender/kube/access.h"

namespace gangplan {

inline constexpr std::string_view kReportingController = "gangplan.io/extender";

// v1 Binding. The UID is a precondition; the annotations, and from Kubernetes 1.35 on the labels,
// are merged into the pod by the same write.
std::string BindingBody(const BindingWrite& write);

// Merge patches of a pod. The UID makes a patch of another pod of the same name fail.
std::string NominationBody(std::string_view uid, std::string_view node);
std::string WakeBody(std::string_view uid, absl::Time now);

// Merge patches of a ConfigMap's data and of an object's labels or annotations, with the UID as
// above.
std::string DataBody(std::string_view uid, const LabelPatch& data);
std::string LabelsBody(std::string_view uid, const LabelPatch& labels);
std::string AnnotationsBody(std::string_view uid, const LabelPatch& annotations);

// Merge patches of a Job, or a JobSet: what is to be written, all at once; of a Job its template's
// required node affinity alone; and its status without a start time. The version, where there is
// one, is a precondition like the UID.
std::string JobBody(const JobWrite& write);
std::string TermsBody(std::string_view uid, std::string_view resource_version,
                      const std::vector<NodeSelectorTerm>& terms);
std::string NoStartTimeBody(std::string_view uid, std::string_view resource_version);

// A merge patch of a PodGroup's status, with the UID and the version as preconditions; what is
// none is taken away, as its own controller leaves it out.
std::string PodGroupStatusBody(const PodGroupFacts& group, const PodGroupStatus& status);

// Server-side applies of what we say in a Workload's status, of this version and with the UID as
// above; and of an AdmissionCheck's condition.
std::string CheckBody(std::string_view ns, const CheckWrite& write, std::string_view version,
                      absl::Time now);
std::string ActiveBody(const AdmissionCheckFacts& check, absl::Time now);

// A strategic merge patch of a pod, with the UID, and the version where there is one, as above:
// gates are taken away by their names.
std::string PodReleaseBody(const PodRelease& release);
// policy/v1 Eviction, or DeleteOptions, with both as preconditions.
std::string EvictionBody(const PodDelete& pod);
std::string DeleteBody(const PodDelete& pod);

// events.k8s.io/v1 Event. `event_name` must be new in the namespace; `instance` says which of
// several replicas reports.
std::string EventBody(const EventNote& note, std::string_view event_name, std::string_view instance,
                      absl::Time now);

// authorization.k8s.io/v1 SelfSubjectAccessReview, or the SubjectAccessReview of a user.
std::string AccessReviewBody(const Access& access, const User& user);
// An account is in the groups that the API server puts it in.
User UserOf(const Account& account);

}  // namespace gangplan
