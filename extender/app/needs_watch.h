// What nodes would help: Events on the owners of gangs that have waited for a while, in words for
// people and for whoever adds nodes ("3 more nodes like n7 in block-2"), each of them worked out as
// for `gangplan why`. One gang at a time, the greatest priority and then the oldest first, no more
// often than kLookEach, and each gang no more often than kTellEach, where nothing could be worked
// out than kWaitsFrom: a small part of one core, however many wait.
//
// Thread rule: Start once, then Stop; Look by one thread, not within a turn of the planner.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "extender/app/advisor.h"
#include "extender/app/locked_planner.h"
#include "extender/app/looking_thread.h"
#include "extender/cluster/cluster.h"
#include "topology/base/clock.h"

namespace gangplan {

class NeedsWatch {
 public:
  static constexpr absl::Duration kLookEach = absl::Seconds(30);
  static constexpr absl::Duration kTellEach = absl::Hours(1);
  static constexpr absl::Duration kWaitsFrom = absl::Minutes(5);  // since it was made

  // All outlive it.
  NeedsWatch(LockedPlanner& planner, Advisor& advisor, Cluster& cluster, const Clock& clock)
      : planner_(planner), advisor_(advisor), cluster_(cluster), clock_(clock) {}

  // Looks in a thread of its own from here on.
  void Start() {
    thread_.Start(kLookEach, [this] { Look(); });
  }
  void Stop() { thread_.Stop(); }  // Safe to call again.
  // Once. O(groups), and a question.
  void Look();

 private:
  std::optional<std::string> Next(absl::Time now);

  LockedPlanner& planner_;
  Advisor& advisor_;
  Cluster& cluster_;
  const Clock& clock_;
  struct Looked {
    absl::Time at = absl::InfinitePast();
    bool open = false;  // it could not be asked about, or is not decided: it may be soon
  };
  std::map<std::string, Looked> looks_;  // at gangs that wait, by name
  LookingThread thread_;
};

}  // namespace gangplan
