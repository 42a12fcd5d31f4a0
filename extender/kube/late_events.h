// Events of an instance that does not act, which may be told when it does: nobody else tells of
// what was seen before any instance acted, or while the Lease had lapsed for a moment, and it is
// not told again. What is older by then, another one has told. Any thread.
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "extender/cluster/requests.h"
#include "extender/kube/limits.h"
#include "topology/base/mutex.h"

namespace gangplan {

class LateEvents {
 public:
  // False: kMaxLateEvents wait already, and the oldest does not any more.
  bool Keep(EventNote note, absl::Time now) {
    MutexLock lock(mutex_);
    const bool full = notes_.size() >= kMaxLateEvents;
    if (full) notes_.pop_front();
    notes_.push_back({now, std::move(note)});
    return !full;
  }
  // Those of the last kLateEventsLast, in their order.
  std::vector<EventNote> Take(absl::Time now) {
    MutexLock lock(mutex_);
    std::vector<EventNote> taken;
    for (Late& one : notes_) {
      if (now - one.since < kLateEventsLast) taken.push_back(std::move(one.note));
    }
    notes_.clear();
    return taken;
  }

 private:
  struct Late {
    absl::Time since;
    EventNote note;
  };

  Mutex mutex_;
  std::deque<Late> notes_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gangplan
