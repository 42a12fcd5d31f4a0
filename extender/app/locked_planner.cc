#include "extender/app/locked_planner.h"

#include <utility>

#include "topology/base/clock.h"

namespace gangplan {

std::string_view Name(TurnFor kind) {
  constexpr std::string_view kNames[] = {"filter", "prioritize", "bind",  "preempt", "commit",
                                         "settle", "events",     "owner", "results", "solved",
                                         "calls",  "tick",       "report"};
  return kNames[static_cast<int>(kind)];
}

LockedPlanner::LockedPlanner(PlannerOptions options, Metrics& metrics,
                             std::function<void(Effects)> carry_out,
                             std::function<void()> left_work)
    : metrics_(metrics),
      carry_out_(std::move(carry_out)),
      left_work_(std::move(left_work)),
      planner_(std::move(options)),
      why_not_ready_(planner_.WhyNotReady()) {}

std::string LockedPlanner::WhyNotReady() const {
  MutexLock lock(told_mutex_);
  return why_not_ready_;
}

// The clock is read last and first: waiting for the lock does not count.
LockedPlanner::Turn::Turn(LockedPlanner& planner, TurnFor kind)
    : locked_(planner), kind_(kind), start_((planner.mutex_.lock(), ThreadCpuTime())) {}

LockedPlanner::Turn::~Turn() {
  Effects effects = locked_.planner_.TakeEffects();
  const bool busy = kind_ != TurnFor::kTick && locked_.planner_.busy();
  {
    std::string why = locked_.planner_.WhyNotReady();
    MutexLock lock(locked_.told_mutex_);
    locked_.why_not_ready_ = std::move(why);
  }
  const absl::Duration spent = ThreadCpuTime() - start_;
  locked_.mutex_.unlock();
  locked_.metrics_.ObserveLock(Name(kind_), spent);
  if (busy) locked_.left_work_();
  if (!effects.empty()) locked_.carry_out_(std::move(effects));
}

}  // namespace gangplan
