// Decides which Events are written: one that says the same of the same object within kEventMemory
// is dropped, and so is what goes beyond a steady rate. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "extender/cluster/requests.h"
#include "topology/base/mutex.h"
#include "topology/base/text.h"

namespace gangplan {

class EventGate {
 public:
  // Whether `note` shall be written. Remembers it when so.
  bool Admit(const EventNote& note, absl::Time now);

 private:
  bool TakeToken(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Forget(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  TextMap<absl::Time> written_ ABSL_GUARDED_BY(mutex_);
  absl::Time next_free_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace gangplan
