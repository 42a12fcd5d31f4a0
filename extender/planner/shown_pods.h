// Whether the watch has shown the pods of which a caller of filter tells. What others pay for (who
// gives way, nodes that are asked for) waits for that: who calls filter may invent pods. Pure.
#pragma once

#include <algorithm>

#include "extender/planner/group.h"
#include "extender/planner/pod_book.h"

namespace gangplan {

// Each member is that has a slot: those beyond make the gang no larger. O(members).
inline bool AllShown(const PodBook& pods, const Group& group) {
  const auto& members = group.members();
  return std::all_of(members.begin(), members.end(), [&](const auto& member) {
    return member.second.slot < 0 || pods.At(member.first).confirmed;
  });
}

}  // namespace gangplan
