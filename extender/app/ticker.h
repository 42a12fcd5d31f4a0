// Gives the planner its time: a tick now and then, at once while there is work left; and tells it
// to act as soon as it knows the cluster and nobody else does. How long the last tick has been over
// tells whether anybody plans: who keeps the planner's lock keeps the ticks, too.
//
// Thread rule: Start, then Stop, from one thread; the rest from any.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "extender/app/locked_planner.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"

namespace gangplan {

class Ticker {
 public:
  // Before each tick: whether it is for us to act, and whether the cluster is shown as it is.
  struct Signs {
    bool acts = false;
    bool sees = true;
  };
  // `each_second` is called between ticks, `signs` before each. Planner and clock outlive the
  // ticker.
  Ticker(LockedPlanner& planner, std::function<void()> each_second, std::function<Signs()> signs,
         const Clock& clock);
  ~Ticker() { Stop(); }

  void Start();
  void Stop();  // Safe to call again.
  // There is work for a tick that is not due yet.
  void Wake();
  // Since the last tick ended; before the first, since the construction. Waits for nobody.
  absl::Duration Silence() const;

 private:
  bool WaitForTick(bool busy);
  void Loop();

  LockedPlanner& planner_;
  const std::function<void()> each_second_;
  const std::function<Signs()> signs_;
  const Clock& clock_;
  std::atomic<int64_t> last_tick_ns_;
  Mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable_any stop_wake_;
  bool work_left_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace gangplan
