// The only source of time. Time never goes back: it is the wall time at start plus what a steady
// clock counted since. Thread-safe. Tests bring their own Clock.
#pragma once

#include "absl/time/time.h"

namespace gangplan {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Time Now() const = 0;
};

// The process's clock.
const Clock& SystemClock();

// What the calling thread has computed so far; for measuring what work costs. About 0.3 us.
absl::Duration ThreadCpuTime();

}  // namespace gangplan
