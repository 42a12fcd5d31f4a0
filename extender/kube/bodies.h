// What we write, as JSON text. Pure.
#pragma once

#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "extender/kube/cluster.h"

namespace gangplan {

inline constexpr std::string_view kWakeAnnotation = "gangplan.io/wake";
inline constexpr std::string_view kReportingController = "gangplan.io/extender";

// v1 Binding. The UID is a precondition; the annotations are merged into the pod by the same write.
std::string BindingBody(const BindingWrite& write);

// Merge patches of a pod. The UID makes a patch of another pod of the same name fail.
std::string NominationBody(std::string_view uid, std::string_view node);
std::string WakeBody(std::string_view uid, absl::Time now);

// events.k8s.io/v1 Event. `event_name` must be new in the namespace; `instance` says which of
// several replicas reports.
std::string EventBody(const EventNote& note, std::string_view event_name, std::string_view instance,
                      absl::Time now);

}  // namespace gangplan
