// The annotations that Gangplan itself writes on pods. Public: people read them, and so does a
// restart.
#pragma once

#include <string_view>

namespace gangplan {

// By the Binding: the member's rank in its pod set, the path of its domain, and whose plan it was.
inline constexpr std::string_view kAssignedRankAnnotation = "gangplan.io/assigned-rank";
inline constexpr std::string_view kAssignedDomainAnnotation = "gangplan.io/assigned-domain";
inline constexpr std::string_view kPlanAnnotation = "gangplan.io/plan";
// Only there to cause an update event: the time.
inline constexpr std::string_view kWakeAnnotation = "gangplan.io/wake";

}  // namespace gangplan
