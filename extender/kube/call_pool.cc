#include "extender/kube/call_pool.h"

#include <algorithm>

#include "topology/base/check.h"

namespace gangplan {
namespace {

constexpr std::array<size_t, 4> kQueueLimits = {kMaxQueuedBindings, kMaxQueuedNominations,
                                                kMaxQueuedOthers, kMaxQueuedResults};

constexpr std::array<std::array<CallClass, 4>, 2> kOrders = {{
    {CallClass::kBinding, CallClass::kNomination, CallClass::kOther, CallClass::kResult},
    {CallClass::kNomination, CallClass::kBinding, CallClass::kOther, CallClass::kResult},
}};

}  // namespace

CallPool::CallPool(TransportFactory& transports, int threads)
    : callers_left_(threads), most_beside_bindings_(std::max(threads / 2, 1)) {
  GANGPLAN_CHECK(threads > 0);
  for (int i = 0; i < threads; ++i) transports_.push_back(transports.Make());
  refuser_ = std::thread([this] { RefuserLoop(); });
  for (size_t i = 0; i < transports_.size(); ++i) {
    callers_.emplace_back([this, i] { CallerLoop(*transports_[i], kOrders[i % kOrders.size()]); });
  }
}

CallPool::~CallPool() {
  Stop(absl::ZeroDuration());
  {
    MutexLock lock(mutex_);
    ending_ = true;
  }
  refusal_added_.notify_all();
  refuser_.join();
}

void CallPool::Add(CallClass call_class, Work work, Refuse refuse) {
  const auto index = static_cast<size_t>(call_class);
  {
    MutexLock lock(mutex_);
    if (!stopping_ && queues_[index].size() < kQueueLimits[index]) {
      queues_[index].push_back({call_class, std::move(work), std::move(refuse)});
      work_added_.notify_one();
      return;
    }
    refusals_.push_back(
        {std::move(refuse),
         stopping_ ? absl::CancelledError("stopping")
                   : absl::ResourceExhaustedError("too many calls wait for the API server")});
  }
  refusal_added_.notify_one();
}

void CallPool::Stop(absl::Duration grace) {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    for (auto& queue : queues_) {
      for (Call& call : queue) {
        refusals_.push_back({std::move(call.refuse), absl::CancelledError("stopping")});
      }
      queue.clear();
    }
  }
  work_added_.notify_all();
  refusal_added_.notify_all();
  WaitForCallers(grace);
  for (std::thread& caller : callers_) caller.join();
  callers_.clear();
  MutexLock lock(mutex_);
  while (!refusals_.empty() || refusing_) something_ended_.wait(mutex_);
}

void CallPool::WaitForCallers(absl::Duration grace) {
  const auto until = std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(grace);
  MutexLock lock(mutex_);
  while (callers_left_ > 0 &&
         something_ended_.wait_until(mutex_, until) == std::cv_status::no_timeout) {
  }
  while (callers_left_ > 0) {
    for (const auto& transport : transports_) transport->Interrupt();
    something_ended_.wait_for(mutex_, kInterruptEvery);
  }
}

bool CallPool::MayTake(CallClass call_class) const {
  return call_class == CallClass::kBinding || beside_bindings_ < most_beside_bindings_;
}

bool CallPool::TakeCall(const Order& order, Call* call) {
  for (CallClass call_class : order) {
    auto& queue = queues_[static_cast<size_t>(call_class)];
    if (queue.empty() || !MayTake(call_class)) continue;
    *call = std::move(queue.front());
    queue.pop_front();
    if (call_class != CallClass::kBinding) ++beside_bindings_;
    return true;
  }
  return false;
}

void CallPool::EndCall(const Call& call) {
  if (call.call_class == CallClass::kBinding) return;
  --beside_bindings_;
  work_added_.notify_one();  // this thread may take a Binding, and another what may be taken now
}

void CallPool::CallerLoop(Transport& transport, const Order& order) {
  for (;;) {
    Call call;
    {
      MutexLock lock(mutex_);
      while (!TakeCall(order, &call)) {
        if (stopping_) {
          --callers_left_;
          something_ended_.notify_all();
          return;
        }
        work_added_.wait(mutex_);
      }
    }
    call.work(transport);
    MutexLock lock(mutex_);
    EndCall(call);
  }
}

void CallPool::RefuserLoop() {
  for (;;) {
    Refusal refusal;
    {
      MutexLock lock(mutex_);
      refusing_ = false;
      something_ended_.notify_all();
      while (refusals_.empty()) {
        if (ending_) return;
        refusal_added_.wait(mutex_);
      }
      refusal = std::move(refusals_.front());
      refusals_.pop_front();
      refusing_ = true;
    }
    refusal.refuse(std::move(refusal.why));
  }
}

}  // namespace gangplan
