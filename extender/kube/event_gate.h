// Decides which Events are written: one that says the same of the same object within kEventMemory
// is dropped, and so is what goes beyond a steady rate, of all or of its namespace. A namespace
// that has written nothing for kQuietNamespace is not asked for the rate of all: what others have
// to say all the time is no reason that it is not heard. Any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "extender/cluster/requests.h"
#include "extender/kube/limits.h"
#include "topology/base/mutex.h"
#include "topology/base/text_map.h"

namespace gangplan {

inline constexpr absl::Duration kDropsToldEvery = absl::Minutes(1);

class EventGate {
 public:
  // Whether `note` shall be written. Remembers it when so; counts it as dropped when it would be
  // written but for the rate.
  bool Admit(const EventNote& note, absl::Time now);
  // One that was admitted could not be written.
  void CountDropped();
  // How many were dropped since this was last told: none, or not for another while, is 0.
  int64_t TakeDropped(absl::Time now);
  // All that were, since the start.
  int64_t dropped() const;

 private:
  // So many tokens a second, and so many at once. `drained`: when the next token would be free if
  // all had been taken before; each that is taken moves it on by one interval.
  struct Bucket {
    int per_second;
    int burst;
    absl::Time drained = absl::InfinitePast();

    absl::Duration interval() const { return absl::Seconds(1) / per_second; }
    void Fill(absl::Time now) { drained = std::max(drained, now - interval() * burst); }
    bool any(absl::Time now) const { return drained + interval() <= now; }
    void Take() { drained += interval(); }
    bool full(absl::Time now) const { return drained + interval() * burst <= now; }
    // No more than a burst has been taken beyond what there was.
    bool owes_little(absl::Time now) const { return drained <= now + interval() * burst; }
  };
  struct Share {
    Bucket bucket = {kEventsPerSecondOfNamespace, kMaxEventBurstOfNamespace};
    absl::Time wrote = absl::InfinitePast();

    bool is_quiet(absl::Time now) const { return now - wrote >= kQuietNamespace; }
  };

  bool TakeToken(const std::string& ns, absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Forget(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  int64_t dropped_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t told_ ABSL_GUARDED_BY(mutex_) = 0;  // of these
  absl::Time dropped_told_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  TextMap<absl::Time> written_ ABSL_GUARDED_BY(mutex_);
  Bucket all_ ABSL_GUARDED_BY(mutex_) = {kEventsPerSecond, kMaxEventBurst};
  TextMap<Share> of_namespace_ ABSL_GUARDED_BY(mutex_);  // those that are not full, or not quiet
};

}  // namespace gangplan
