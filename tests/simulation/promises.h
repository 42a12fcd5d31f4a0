// What the first in line is told of its start (queue.mode: backfill): where the ends that people
// tell are true, whoever passes it delays it by nothing. For a cluster in which nothing else comes
// between: no faults, no pods of no gang.
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
  Promises(const Timeline& time, Service& service, Jobs& jobs)
      : time_(time), service_(service), jobs_(jobs) {}

  // Throws Broken.
  void AfterInput() override;

 private:
  const Timeline& time_;
  Service& service_;
  Jobs& jobs_;
  // The first time that each was told since it is the first, by the Job's UID.
  std::map<std::string, absl::Time> promised_;
};

}  // namespace gangplan::simulation
