// What the first in line is told of its start (queue.mode: backfill): where the ends that people
// tell are true, whoever passes it delays it by nothing. For a cluster in which nothing else comes
// between: no faults, no pods of no gang. And the bound of waiting there: a gang in place n of the
// line has room after n turns, each as long as the longest gang runs.
#pragma once

#include <map>
#include <string>

#include "absl/time/time.h"
#include "tests/simulation/jobs.h"
#include "tests/simulation/service.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

class Promises : public ServiceObserver {
 public:
  // `by_age`: nobody who comes later goes before others.
  Promises(const Timeline& time, Service& service, Jobs& jobs, bool by_age)
      : time_(time), service_(service), jobs_(jobs), by_age_(by_age) {}

  // Throws Broken.
  void AfterInput() override;

 private:
  void CheckBound(const std::string& uid, const Job& job, const GroupReport& report);

  const Timeline& time_;
  Service& service_;
  Jobs& jobs_;
  const bool by_age_;
  struct Turns {
    absl::Time since;
    int64_t most = 0;  // an older gang whose last pod comes later goes before
  };
  std::map<std::string, Turns> turns_;  // of those that have stood in line, by the Job's UID
  // The first time that each was told since it is the first, by the Job's UID.
  std::map<std::string, absl::Time> promised_;
};

}  // namespace gangplan::simulation
