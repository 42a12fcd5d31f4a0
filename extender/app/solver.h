// The one thread on which the planner's long questions are asked, beside its lock: copies of what
// it could not decide in its own time, and the evidence of Events. Solves go first, so many in a
// row at the most while evidence waits: whose gangs are asked about all the time keep nobody's
// Events back. Evidence beyond a limit is left out, the Event is told without it.
//
// Thread rule: Add and Stop from any thread; `solved` and `told` are called on the solver's own, or
// in Add for what is left out.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "extender/planner/effects.h"
#include "topology/base/clock.h"
#include "topology/base/mutex.h"

namespace gangplan {

// Events whose evidence waits; beyond, they are told without.
inline constexpr size_t kMaxExplanations = 256;
// Solves behind each other while the evidence of an Event waits.
inline constexpr int kMostSolvesInARow = 4;

class Solver {
 public:
  // `clock` outlives it.
  Solver(std::function<void(const SolveTask&)> solved, std::function<void(EventNote)> told,
         const Clock& clock);
  ~Solver();

  void Add(SolveOnCopy solve);
  void Add(ExplainGroup explain);
  // Since the question that is under way was begun; zero: none is. Waits for nobody.
  absl::Duration Running() const;
  // What is under way is finished; what waits is dropped.
  void Stop();

 private:
  static constexpr int64_t kIdle = INT64_MIN;
  void Loop();

  const std::function<void(const SolveTask&)> solved_;
  const std::function<void(EventNote)> told_;
  Mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<SolveOnCopy> solves_ ABSL_GUARDED_BY(mutex_);
  std::deque<ExplainGroup> explanations_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  const Clock& clock_;
  std::atomic<int64_t> begun_ns_ = kIdle;
  std::thread thread_;
};

}  // namespace gangplan
