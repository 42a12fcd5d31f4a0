#include "extender/server/worker_threads.h"

#include <system_error>
#include <utility>

#include "topology/base/clock.h"

namespace gangplan {

bool WorkerThreads::Run(std::function<void()> task, absl::Duration patience) {
  JoinEnded();
  const absl::Time until = SystemClock().Now() + patience;
  MutexLock lock(mutex_);
  while (running_ == limit_) {
    const absl::Duration left = until - SystemClock().Now();
    if (left <= absl::ZeroDuration()) return false;
    room_.wait_for(mutex_, absl::ToChronoNanoseconds(left));
  }
  const bool someone_waits = static_cast<size_t>(waiting_) > tasks_.size();
  if (!someone_waits && !StartThread()) return false;
  ++running_;
  tasks_.push_back(std::move(task));
  wake_.notify_one();
  return true;
}

bool WorkerThreads::StartThread() {
  live_.emplace_back();
  const auto self = std::prev(live_.end());
  try {
    *self = std::thread([this, self] { Work(self); });
    return true;
  } catch (const std::system_error&) {
    live_.erase(self);
    return false;
  }
}

void WorkerThreads::Work(Threads::iterator self) {
  MutexLock lock(mutex_);
  while (std::function<void()> task = NextTask()) {
    mutex_.unlock();
    task();
    task = nullptr;  // what it owns goes outside of the lock
    mutex_.lock();
    if (running_-- == limit_) room_.notify_one();
    if (waiting_ >= spare_) break;
  }
  ended_.splice(ended_.end(), live_, self);
  if (live_.empty()) all_ended_.notify_all();
}

std::function<void()> WorkerThreads::NextTask() {
  ++waiting_;
  while (tasks_.empty() && !joining_) wake_.wait(mutex_);
  --waiting_;
  if (tasks_.empty()) return nullptr;
  std::function<void()> task = std::move(tasks_.front());
  tasks_.pop_front();
  return task;
}

void WorkerThreads::JoinEnded() {
  Threads ended;
  {
    MutexLock lock(mutex_);
    ended.swap(ended_);
  }
  for (std::thread& thread : ended) thread.join();
}

void WorkerThreads::Join() {
  {
    MutexLock lock(mutex_);
    joining_ = true;
    wake_.notify_all();
    while (!live_.empty()) all_ended_.wait(mutex_);
  }
  JoinEnded();
}

int WorkerThreads::running() const {
  MutexLock lock(mutex_);
  return running_;
}

int WorkerThreads::threads() const {
  MutexLock lock(mutex_);
  return static_cast<int>(live_.size());
}

}  // namespace gangplan
