// Pods of no gang of which it is known when they end, the first to go first: the question when a
// gang fits, and the room that is kept by its answer, look at the same ones. Those that are overdue
// end at no known time.
//
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "extender/planner/limits.h"
#include "extender/planner/pod_book.h"

namespace gangplan {

// Calls visit(end in Unix seconds, uid) of those that end after `now`, until it is false; of so
// many at most. Returns of how many it was.
template <typename Visit>
size_t VisitEnding(const PodBook& pods, absl::Time now, Visit visit) {
  size_t looked = 0;
  const auto seconds = static_cast<uint32_t>(absl::ToUnixSeconds(now));
  auto next = pods.ending().lower_bound({seconds + 1, {}});
  for (; next != pods.ending().end() && looked < kMaxEndingPods; ++next) {
    ++looked;
    if (!visit(next->first, next->second)) break;
  }
  return looked;
}

}  // namespace gangplan
