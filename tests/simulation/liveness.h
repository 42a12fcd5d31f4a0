// Who can start does start: a gang whose members are all there and fit on free room, in truth, is
// bound within a stated time, and so are replacements of its members. Nothing is asked while the
// service or the scheduler is down.
#pragma once

#include <map>
#include <set>
#include <string>

#include "tests/simulation/fit.h"
#include "tests/simulation/jobs.h"
#include "tests/simulation/scheduler.h"
#include "tests/simulation/service.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

class Liveness {
 public:
  Liveness(const Timeline& time, const ApiServer& api, Jobs& jobs, Service& service,
           const Scheduler& scheduler)
      : time_(time),
        api_(api),
        jobs_(jobs),
        service_(service),
        scheduler_(scheduler),
        finder_(api, scheduler.rules) {}

  // Call it every second. Throws Broken.
  void Check();
  // Infinite: nothing is asked.
  void BindsWithin(absl::Duration limit) { limit_ = limit; }

 private:
  struct Waiting {
    absl::Time since;
    std::set<std::string> pods;
  };
  // The members that wait; empty when some are not there yet.
  std::set<std::string> WaitingPods(const Job& job) const;
  // Who runs keeps room for a member that is refused for ever.
  FitFinder::Standing KeptForRefused() const;
  bool StandsBehind(const Job& job) const;

  const Timeline& time_;
  const ApiServer& api_;
  Jobs& jobs_;
  Service& service_;
  const Scheduler& scheduler_;
  const FitFinder finder_;
  absl::Duration limit_ = absl::InfiniteDuration();
  std::map<std::string, Waiting> waiting_;  // by Job
};

}  // namespace gangplan::simulation
