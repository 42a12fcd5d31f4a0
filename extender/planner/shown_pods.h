// Whether the watch has shown the pods of which a caller of filter tells. What others pay for (who
// gives way, nodes that are asked for) waits for that: who calls filter may invent pods. Pure.
#pragma once

#include <algorithm>

#include "extender/planner/group.h"
#include "extender/planner/pod_book.h"

namespace gangplan {

// As many members are as the gang wants, or all that there are: more than that keep nobody from
// anything. O(members).
inline bool AllShown(const PodBook& pods, const Group& group) {
  const auto& members = group.members();
  const auto shown = std::count_if(members.begin(), members.end(), [&](const auto& member) {
    return pods.At(member.first).confirmed;
  });
  return shown >= std::min(group.live(), group.Expected());
}

}  // namespace gangplan
