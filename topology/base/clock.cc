#include "topology/base/clock.h"

#include <time.h>

#include <chrono>

#include "absl/time/clock.h"
#include "topology/base/host_clock.h"

namespace gangplan {
namespace {

class SteadyClock : public Clock {
 public:
  absl::Time Now() const override {
    return wall_start_ + absl::FromChrono(std::chrono::steady_clock::now() - steady_start_);
  }

 private:
  const absl::Time wall_start_ = absl::Now();
  const std::chrono::steady_clock::time_point steady_start_ = std::chrono::steady_clock::now();
};

class WallClock : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }
};

}  // namespace

const Clock& HostClock() {
  static const WallClock clock;
  return clock;
}

absl::Duration ThreadCpuTime() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return absl::DurationFromTimespec(spent);
}

const Clock& SystemClock() {
  static const SteadyClock clock;
  return clock;
}

}  // namespace gangplan
