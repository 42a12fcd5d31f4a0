// Waiting that a stop ends at once. Tests bring a Pause that only moves their clock.
#pragma once

#include <condition_variable>

#include "absl/time/time.h"
#include "topology/base/mutex.h"

namespace gangplan {

class Pause {
 public:
  virtual ~Pause() = default;
  // Waits; false, at once, when stopping. Any thread.
  virtual bool For(absl::Duration duration) = 0;
};

class StoppablePause : public Pause {
 public:
  bool For(absl::Duration duration) override;
  // Ends every wait, also the later ones.
  void Stop();
  bool stopped() const;

 private:
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace gangplan
