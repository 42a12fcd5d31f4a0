// One line of the log for each step in a gang's life: from which state to which, and why. Bounded:
// after a burst so many a second, and the next line tells how many were left out.
//
// Thread rule: any thread.
#pragma once

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "extender/observe/log.h"
#include "extender/planner/effects.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"

namespace gangplan {

inline constexpr int kGangLines = 500;          // at once
inline constexpr int kGangLinesPerSecond = 50;  // and then

class GangLog {
 public:
  explicit GangLog(const Clock& clock, Logger& logger = ProcessLogger())
      : clock_(clock), logger_(logger) {}

  void Tell(const GangChange& change);

 private:
  // How many were left out since the last line; -1: this one is, too.
  int64_t Admit();

  const Clock& clock_;
  Logger& logger_;
  Mutex mutex_;
  // When all of the burst may be taken again.
  absl::Time full_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  int64_t left_out_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace gangplan
