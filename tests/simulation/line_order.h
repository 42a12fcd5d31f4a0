// The line for room: in a strict queue no gang gets room while a whole one stands before it in
// line, of a greater priority: ages are the planner's to know. By what it tells of its groups.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "tests/simulation/jobs.h"
#include "tests/simulation/service.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

class LineOrder : public ServiceObserver {
 public:
  LineOrder(const Timeline& time, Service& service, Jobs& jobs)
      : time_(time), service_(service), jobs_(jobs) {}

  // Throws Broken.
  void AfterInput() override;
  void OnRestart() override { since_.clear(); }

 private:
  struct Waits {
    absl::Time since;
    int32_t priority = 0;
    std::string name;
    std::string topology;
  };

  void CheckNewRoom(const std::string& uid, const Job& job);

  const Timeline& time_;
  Service& service_;
  Jobs& jobs_;
  std::map<std::string, Waits> since_;  // in line, by the Job's UID
  std::set<std::string> held_;          // groups with room at the last look
  std::set<std::string> gated_;         // ever: what was released can go nowhere else
};

}  // namespace gangplan::simulation
