// Calls to the API server, made by a fixed number of threads, each with a connection of its own
// that is kept open. Half of the threads take Bindings first and the others nominations, so that
// neither waits for a crowd of the other; starts of Jobs are of the class of nominations. Other
// calls come after them, and results, which nobody but people waits for, last. Within one class in
// order. A nomination that comes after the scheduler has asked costs it, and the API server, a
// second attempt. At most half of the threads (one, where there is but one) are inside calls that
// are no Bindings: however slow those are, a gang is bound.
//
// Exactly one of a call's two functions runs, once, on a thread of the pool: `work` with a
// connection, or `refuse` (ResourceExhausted: the queue is full; Cancelled: stopping). Refusals
// have a thread of their own that lives as long as the pool, so they wait for no network and come
// even after Stop.
//
// Thread rule: Add from any thread, also from inside a call, under any lock. Stop and the
// destructor not from inside a call.
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "extender/kube/limits.h"
#include "extender/kube/transport.h"
#include "topology/base/mutex.h"

namespace gangplan {

enum class CallClass { kBinding, kNomination, kOther, kResult };

class CallPool {
 public:
  using Work = std::function<void(Transport&)>;
  using Refuse = std::function<void(absl::Status)>;

  // REQUIRES: threads > 0.
  CallPool(TransportFactory& transports, int threads);
  ~CallPool();
  CallPool(const CallPool&) = delete;
  CallPool& operator=(const CallPool&) = delete;

  void Add(CallClass call_class, Work work, Refuse refuse);

  // Refuses what is queued, gives the calls under way `grace` to end, then interrupts them. Returns
  // when every call so far has been answered and the calling threads are gone. Idempotent.
  void Stop(absl::Duration grace);

 private:
  static constexpr int kClasses = 4;
  struct Call {
    CallClass call_class = CallClass::kBinding;
    Work work;
    Refuse refuse;
  };
  struct Refusal {
    Refuse refuse;
    absl::Status why;
  };

  using Order = std::array<CallClass, kClasses>;

  void CallerLoop(Transport& transport, const Order& order);
  void RefuserLoop();
  bool MayTake(CallClass call_class) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool TakeCall(const Order& order, Call* call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndCall(const Call& call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WaitForCallers(absl::Duration grace);

  Mutex mutex_;
  std::condition_variable_any work_added_;
  std::condition_variable_any refusal_added_;
  std::condition_variable_any something_ended_;
  std::array<std::deque<Call>, kClasses> queues_ ABSL_GUARDED_BY(mutex_);
  std::deque<Refusal> refusals_ ABSL_GUARDED_BY(mutex_);
  bool refusing_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  int callers_left_ ABSL_GUARDED_BY(mutex_) = 0;
  int beside_bindings_ ABSL_GUARDED_BY(mutex_) = 0;  // calls under way that are no Bindings
  const int most_beside_bindings_;

  std::vector<std::unique_ptr<Transport>> transports_;
  std::vector<std::thread> callers_;
  std::thread refuser_;
};

}  // namespace gangplan
