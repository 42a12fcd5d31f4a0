// How long a pod takes its room at the most, as far as anybody has told: its own limit, its Job's,
// and the word gangplan.io/runtime on the pod or its owner. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "topology/pod_facts.h"

namespace gangplan {

inline constexpr std::string_view kRuntimeWord = "gangplan.io/runtime";

// What is wrong with the word where it stands; the pod's own counts before its owner's.
absl::Status CheckRuntime(const PodFacts& pod, const OwnerFacts* owner);

// Seconds from its start until its room is free, with the time that it may take to stop: the least
// of what was told. 0: nobody has told. A word that cannot be read counts for nothing.
int64_t RoomTaken(const PodFacts& pod, const OwnerFacts* owner);

}  // namespace gangplan
