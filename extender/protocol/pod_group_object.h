// A PodGroup of coscheduling as an object whose status is written: its minimum, its status, and who
// has written that. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "topology/pod_group_facts.h"

namespace gangplan {

// `us`: the name under which our own writes stand in the object's managedFields. A phase of which
// they tell nothing is somebody else's. `json` is parsed in situ and changed.
absl::StatusOr<PodGroupFacts> DecodePodGroup(std::string& json, std::string_view us);

}  // namespace gangplan
