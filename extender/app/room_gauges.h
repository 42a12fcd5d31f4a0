// How large a gang may be now in one domain of each level, and how much of what is free is of no
// use for that, as metrics: for pods that ask for one device, and for all of a node. Where no node
// has devices, for pods of one cpu. Worked out by whoever scrapes, outside of the planner's lock,
// and not more often than kRoomGaugesEvery. O(nodes).
//
// Thread rule: any thread, not within a turn of the planner.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "extender/app/locked_planner.h"
#include "extender/observe/metrics.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"
#include "topology/tree.h"

namespace gangplan {

// What pods may have of the resource that is looked at.
struct LeafAmount {
  int64_t all = 0;   // 0: nobody may use it
  int64_t free = 0;  // neither used nor held
};

// For pods that ask for `each` of it; `shape` is what they are called. From the cluster down.
std::vector<RoomGauge> RoomGaugesOf(const Tree& tree, const std::vector<LeafAmount>& leaves,
                                    int64_t each, const std::string& shape);

class RoomGauges {
 public:
  // All outlive it.
  RoomGauges(LockedPlanner& planner, Metrics& metrics, const Clock& clock)
      : planner_(planner), metrics_(metrics), clock_(clock) {}

  void Refresh();

 private:
  std::vector<RoomGauge> GaugesIn(const Tree& tree, const std::string& resource);
  bool Due();

  LockedPlanner& planner_;
  Metrics& metrics_;
  const Clock& clock_;
  Mutex mutex_;
  absl::Time next_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace gangplan
