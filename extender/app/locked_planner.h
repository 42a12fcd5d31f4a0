// The planner behind its one mutex. Whoever asks it takes a turn: under the lock nothing blocks and
// nothing is written; what the planner asks for meanwhile (its effects) is carried out after the
// lock was let go, by the same thread. How long a turn keeps the lock is a metric.
//
// Thread rule: any thread; a turn within a turn is not allowed.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "extender/observe/metrics.h"
#include "extender/planner/planner.h"
#include "topology/base/mutex.h"

namespace gangplan {

// What a turn is for: the metric's label `call`.
enum class TurnFor {
  kFilter,
  kPrioritize,
  kBind,
  kPreempt,
  kCommit,
  kSettle,   // what became of a Binding, or of the start of a Job
  kEvents,   // what the watches tell
  kOwner,    // a read owner
  kResults,  // what became of a group's results
  kSolved,   // a copy that was solved
  kCalls,    // bind calls without a peer, or at the service's end
  kTick,
  kReport,  // whatever people and probes ask
};
std::string_view Name(TurnFor kind);

class LockedPlanner {
 public:
  // `carry_out` may take turns. `left_work` is called, without the lock, when a turn but a tick
  // leaves work for the next tick. All outlive this object.
  LockedPlanner(PlannerOptions options, Metrics& metrics, std::function<void(Effects)> carry_out,
                std::function<void()> left_work);

  // Why it does not answer yet, as of the last turn; empty: it does. Waits for no turn.
  std::string WhyNotReady() const;

  // Returns what `function(Planner&)` returns; the effects have been handed over by then.
  template <typename Function>
  auto Take(TurnFor kind, Function function) {
    Turn turn(*this, kind);
    return function(planner_);
  }

 private:
  // The time under the lock is counted as this thread's CPU time: what the work costs, whatever
  // else the machine does.
  class ABSL_SCOPED_LOCKABLE Turn {
   public:
    Turn(LockedPlanner& planner, TurnFor kind) ABSL_EXCLUSIVE_LOCK_FUNCTION(planner.mutex_);
    ~Turn() ABSL_UNLOCK_FUNCTION();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    LockedPlanner& locked_;
    const TurnFor kind_;
    const absl::Duration start_;
  };

  Metrics& metrics_;
  const std::function<void(Effects)> carry_out_;
  const std::function<void()> left_work_;
  Mutex mutex_;
  Planner planner_ ABSL_GUARDED_BY(mutex_);
  mutable Mutex told_mutex_;  // taken in turns, for no longer than a copy takes
  std::string why_not_ready_ ABSL_GUARDED_BY(told_mutex_);
};

}  // namespace gangplan
