// Bounds the end of the process: while all parts end, one that is stuck (with the planner's lock,
// in a call, in a thread that is joined) would keep the process for ever, and whoever restarts it
// has to kill it without a word.
//
// Thread rule: constructed and destroyed by one thread.
#pragma once

#include <signal.h>

#include <atomic>
#include <functional>
#include <semaphore>
#include <string_view>
#include <thread>

#include "absl/time/time.h"

namespace gangplan {

class EndWatch {
 public:
  // `end` is called once, on a thread of its own, when `patience` after Begin is over or another
  // one of `signals` has come before this is destroyed. The thread is there before it is needed:
  // none may be to be had then. REQUIRES: `signals` are blocked in every thread.
  EndWatch(const sigset_t& signals, absl::Duration patience,
           std::function<void(std::string_view why)> end);
  // Once at most.
  void Begin() { begun_.release(); }
  // All has ended. Takes up to 50 ms.
  ~EndWatch();
  EndWatch(const EndWatch&) = delete;
  EndWatch& operator=(const EndWatch&) = delete;

 private:
  void Loop(absl::Duration patience);

  const sigset_t signals_;
  const std::function<void(std::string_view)> end_;
  std::atomic<bool> ended_ = false;
  std::counting_semaphore<2> begun_{0};
  std::thread thread_;
};

}  // namespace gangplan
