// Threads on demand: a task gets a waiting thread, or a new one, at once and never queues behind
// another task, up to a limit. When tasks end, `spare` threads stay and the others go.
//
// Why not a fixed pool: a connection occupies its thread for as long as it is open, thousands of
// bind calls may be held, and a filter call must never wait for them.
//
// Thread rule: any thread. After Join began only tasks call Run.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "topology/base/mutex.h"

namespace gangplan {

class WorkerThreads {
 public:
  WorkerThreads(int limit, int spare) : limit_(limit), spare_(spare) {}
  ~WorkerThreads() { Join(); }
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  // False, and nothing is run, when `limit` tasks are running, and none of them ends within
  // `patience`, or the system gives no thread. REQUIRES: `task` does not throw.
  bool Run(std::function<void()> task, absl::Duration patience = absl::ZeroDuration());

  // Returns when every task and every thread has ended.
  void Join();

  int running() const;  // tasks
  int threads() const;  // running or spare

 private:
  using Threads = std::list<std::thread>;

  void Work(Threads::iterator self);
  // The next task, or nothing when this thread is to end.
  std::function<void()> NextTask() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool StartThread() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void JoinEnded() ABSL_LOCKS_EXCLUDED(mutex_);

  const int limit_;
  const int spare_;
  mutable Mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable_any room_;
  std::condition_variable_any all_ended_;
  std::deque<std::function<void()>> tasks_ ABSL_GUARDED_BY(mutex_);  // for threads on their way
  int running_ ABSL_GUARDED_BY(mutex_) = 0;
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;
  bool joining_ ABSL_GUARDED_BY(mutex_) = false;
  Threads live_ ABSL_GUARDED_BY(mutex_);
  Threads ended_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gangplan
