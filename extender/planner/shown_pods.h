// Whether the watch has shown what a caller of filter tells of pods. What others pay for (who gives
// way, nodes that are asked for) waits for that: who calls filter may invent pods. Pure.
#pragma once

#include <algorithm>

#include "extender/planner/group.h"
#include "extender/planner/pod_book.h"

namespace gangplan {

// The pod, and the words by which it is what it is to us.
inline bool IsShown(const KnownPod& pod) { return pod.confirmed && !pod.told; }

// Each member is. O(members).
inline bool AllShown(const PodBook& pods, const Group& group) {
  const auto& members = group.members();
  return std::all_of(members.begin(), members.end(),
                     [&](const auto& member) { return IsShown(pods.At(member.first)); });
}

}  // namespace gangplan
