// Random waits: a jitter from an injected seed, and waits that double after each failure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "absl/time/time.h"
#include "topology/base/mutex.h"

namespace gangplan {

// Any thread. Equal seeds give equal sequences.
class Jitter {
 public:
  explicit Jitter(uint64_t seed) : engine_(seed) {}

  // Evenly from [low, high], in whole milliseconds.
  absl::Duration Between(absl::Duration low, absl::Duration high) {
    const auto span =
        static_cast<uint64_t>(std::max<int64_t>(absl::ToInt64Milliseconds(high - low), 0));
    MutexLock lock(mutex_);
    return low + absl::Milliseconds(static_cast<int64_t>(engine_() % (span + 1)));
  }

 private:
  Mutex mutex_;
  std::mt19937_64 engine_ ABSL_GUARDED_BY(mutex_);
};

// The wait after the n-th failure in a row: `first` doubled n-1 times, at most `most`, of which the
// second half is random. One thread.
class Backoff {
 public:
  Backoff(absl::Duration first, absl::Duration most, Jitter* jitter)
      : first_(first), most_(most), next_(first), jitter_(jitter) {}

  absl::Duration Next() {
    const absl::Duration whole = next_;
    next_ = std::min(next_ * 2, most_);
    return jitter_->Between(whole / 2, whole);
  }
  void Reset() { next_ = first_; }

 private:
  const absl::Duration first_;
  const absl::Duration most_;
  absl::Duration next_;
  Jitter* const jitter_;
};

}  // namespace gangplan
