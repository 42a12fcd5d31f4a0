#include "extender/app/solver.h"

#include <mutex>
#include <optional>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "extender/planner/solve_task.h"

namespace gangplan {

Solver::Solver(std::function<void(const SolveTask&)> solved, std::function<void(EventNote)> told,
               const Clock& clock)
    : solved_(std::move(solved)),
      told_(std::move(told)),
      clock_(clock),
      thread_([this] { Loop(); }) {}

Solver::~Solver() { Stop(); }

void Solver::Add(SolveOnCopy solve) {
  MutexLock lock(mutex_);
  solves_.push_back(std::move(solve));
  wake_.notify_one();
}

void Solver::Add(ExplainGroup explain) {
  bool left_out = explain.question == nullptr;
  if (!left_out) {
    MutexLock lock(mutex_);
    left_out = explanations_.size() >= kMaxExplanations;
    if (!left_out) explanations_.push_back(std::move(explain));
    wake_.notify_one();
  }
  if (!left_out) return;
  explain.question.reset();
  told_(Explained(std::move(explain)));
}

absl::Duration Solver::Running() const {
  const int64_t begun = begun_ns_;
  if (begun == kIdle) return absl::ZeroDuration();
  return clock_.Now() - absl::FromUnixNanos(begun);
}

void Solver::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Solver::Loop() {
  int solves_in_a_row = 0;
  for (;;) {
    std::optional<SolveOnCopy> solve;
    std::optional<ExplainGroup> explain;
    {
      std::unique_lock<Mutex> lock(mutex_);
      while (!stopping_ && solves_.empty() && explanations_.empty()) wake_.wait(lock);
      if (stopping_) return;
      const bool explain_now = !explanations_.empty() && solves_in_a_row >= kMostSolvesInARow;
      if (!solves_.empty() && !explain_now) {
        ++solves_in_a_row;
        solve = std::move(solves_.front());
        solves_.pop_front();
      } else {
        solves_in_a_row = 0;
        explain = std::move(explanations_.front());
        explanations_.pop_front();
      }
    }
    begun_ns_ = absl::ToUnixNanos(clock_.Now());
    const absl::Cleanup end = [this] { begun_ns_ = kIdle; };
    if (solve) {
      solve->task->Run();
      solved_(*solve->task);
    } else {
      told_(Explained(std::move(*explain)));
    }
  }
}

}  // namespace gangplan
