#include "extender/app/owner_reads.h"

#include <algorithm>

#include "extender/app/limits.h"
#include "topology/base/clock.h"

namespace gangplan {

int64_t OwnerReads::count() {
  MutexLock lock(mutex_);
  return count_;
}

void OwnerReads::Arrived() {
  MutexLock lock(mutex_);
  ++count_;
  arrived_.notify_all();
}

absl::Duration OwnerReads::Left(absl::Time now) {
  if (now - second_ >= absl::Seconds(1) || now < second_) {
    second_ = now;
    waited_ = absl::ZeroDuration();
  }
  return kOwnerWaitsASecond - waited_;
}

bool OwnerReads::Await(int64_t seen, absl::Duration most) {
  MutexLock lock(mutex_);
  const absl::Time start = SystemClock().Now();
  const absl::Time until = start + std::min(most, Left(start));
  while (count_ <= seen) {
    const absl::Duration left = until - SystemClock().Now();
    if (left <= absl::ZeroDuration()) break;
    arrived_.wait_for(mutex_, absl::ToChronoMicroseconds(left));
  }
  waited_ += SystemClock().Now() - start;
  return count_ > seen;
}

}  // namespace gangplan
