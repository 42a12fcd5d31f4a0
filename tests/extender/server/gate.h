// A place where threads of a test wait until it lets them go, and where it can wait for them.
#pragma once

#include <condition_variable>
#include <mutex>

namespace gangplan {

class Gate {
 public:
  // Counts the caller in and blocks it until Open.
  void Pass() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void AwaitArrivals(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, count] { return arrived_ >= count; });
  }
  void Open() {
    std::unique_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  bool open_ = false;
};

}  // namespace gangplan
