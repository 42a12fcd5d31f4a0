// Events of an instance whose Lease has lapsed for a moment: nobody else acts, so nobody else tells
// of them, and what the planner has told it does not tell again. Any thread.
#pragma once

#include <utility>
#include <vector>

#include "extender/cluster/requests.h"
#include "extender/kube/limits.h"
#include "topology/base/mutex.h"

namespace gangplan {

class LateEvents {
 public:
  // False: kMaxLateEvents wait already, and this one does not.
  bool Keep(EventNote note) {
    MutexLock lock(mutex_);
    if (notes_.size() >= kMaxLateEvents) return false;
    notes_.push_back(std::move(note));
    return true;
  }
  // In their order.
  std::vector<EventNote> Take() {
    MutexLock lock(mutex_);
    return std::exchange(notes_, {});
  }

 private:
  Mutex mutex_;
  std::vector<EventNote> notes_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gangplan
