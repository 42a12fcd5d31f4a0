// A thread that looks again and again, with a rest before each time.
//
// Thread rule: Start once, then Stop, by whoever owns it; what looks runs in the thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "topology/base/mutex.h"

namespace gangplan {

class LookingThread {
 public:
  ~LookingThread() { Stop(); }

  // What `look` uses outlives it, or Stop is called before.
  void Start(absl::Duration rest, std::function<void()> look) {
    thread_ = std::thread([this, rest, look = std::move(look)] {
      while (Rest(rest)) look();
    });
  }
  // Waits for a look that is under way. Safe to call again, or without Start.
  void Stop() {
    {
      MutexLock lock(mutex_);
      stopping_ = true;
      wake_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }

 private:
  // False: it is to end.
  bool Rest(absl::Duration rest) {
    MutexLock lock(mutex_);
    if (!stopping_) wake_.wait_for(mutex_, absl::ToChronoMilliseconds(rest));
    return !stopping_;
  }

  Mutex mutex_;
  std::condition_variable_any wake_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace gangplan
