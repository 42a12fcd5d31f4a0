// Lets filter calls wait a little for the read of their pod's owner: an error costs the pod a
// back-off of a second, the read some milliseconds. The scheduler asks for nobody else meanwhile,
// so all waits together have a share of the time, whoever makes how many owners.
//
// Thread rule: any thread.
#pragma once

#include <condition_variable>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "topology/base/mutex.h"

namespace gangplan {

class OwnerReads {
 public:
  // How many have been told to the planner.
  int64_t count();
  void Arrived();
  // Waits until more than `seen` have, or `most` has passed, or the share is used up. True: more
  // have.
  bool Await(int64_t seen, absl::Duration most);

 private:
  absl::Duration Left(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  std::condition_variable_any arrived_;
  int64_t count_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time second_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();  // its beginning
  absl::Duration waited_ ABSL_GUARDED_BY(mutex_);                     // in that second
};

}  // namespace gangplan
