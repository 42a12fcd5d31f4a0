#include "extender/planner/known_ends.h"

#include <algorithm>

namespace gangplan {

int64_t RoomTakenBy(const Group& group) {
  int64_t longest = 0;
  for (const PodSet& set : group.pod_sets().sets()) {
    if (set.room_taken == 0) return 0;
    longest = std::max(longest, set.room_taken);
  }
  return longest;
}

int64_t EndOfNew(absl::Time begins, const Group& group, absl::Duration patience) {
  const int64_t taken = RoomTakenBy(group);
  if (taken == 0) return 0;
  const absl::Duration held = group.sizing().Patience(patience);
  return absl::ToUnixSeconds(begins + (group.suspended() ? 2 : 1) * held) + 1 + taken;
}

}  // namespace gangplan
