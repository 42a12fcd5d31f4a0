// Bounds the end of the process: while all parts end, one that is stuck (with the planner's lock,
// in a call, in a thread that is joined) would keep the process for ever, and whoever restarts it
// has to kill it without a word.
//
// Thread rule: constructed and destroyed by one thread.
#pragma once

#include <signal.h>

#include <atomic>
#include <functional>
#include <string_view>
#include <thread>

#include "absl/time/time.h"

namespace gangplan {

class EndWatch {
 public:
  // `end` is called once, on a thread of its own, when `patience` is over or another one of
  // `signals` has come before this is destroyed. REQUIRES: `signals` are blocked in every thread.
  EndWatch(const sigset_t& signals, absl::Duration patience,
           std::function<void(std::string_view why)> end);
  // All has ended. Takes up to 50 ms.
  ~EndWatch();
  EndWatch(const EndWatch&) = delete;
  EndWatch& operator=(const EndWatch&) = delete;

 private:
  void Loop(absl::Time until);

  const sigset_t signals_;
  const std::function<void(std::string_view)> end_;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

}  // namespace gangplan
