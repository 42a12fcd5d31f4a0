#include "extender/kube/pause.h"

namespace gangplan {

bool StoppablePause::For(absl::Duration duration) {
  const auto until = std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(duration);
  MutexLock lock(mutex_);
  while (!stopped_) {
    if (changed_.wait_until(mutex_, until) == std::cv_status::timeout) return !stopped_;
  }
  return false;
}

void StoppablePause::Stop() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

bool StoppablePause::stopped() const {
  MutexLock lock(mutex_);
  return stopped_;
}

}  // namespace gangplan
