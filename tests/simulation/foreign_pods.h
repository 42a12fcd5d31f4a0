// Pods of nobody's gang: single ones that our scheduler places, and ones that a second scheduler
// binds into the same nodes without asking anybody.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "tests/simulation/api_server.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

class ForeignPods {
 public:
  ForeignPods(Timeline& time, Random& random, ApiServer& api)
      : time_(time), random_(random), api_(api) {}

  // `owned`: it has a controller, of which nothing can be learned but that it is there.
  void Add(int64_t gpus, int32_t priority, bool owned);
  // Bound where the truth has room; nowhere: none comes.
  void AddBound(int64_t gpus);
  void End();

  bool contains(const std::string& pod_uid) const { return all_.contains(pod_uid); }
  // The second scheduler has bound it.
  bool second(const std::string& pod_uid) const { return second_.contains(pod_uid); }
  std::function<void(const std::string&)> trace;
  bool budgets = false;  // of one in three of those with a controller

 private:
  void Put(const PodFacts& pod);

  Timeline& time_;
  Random& random_;
  ApiServer& api_;
  std::set<std::string> all_;
  std::set<std::string> second_;
  int next_ = 0;
};

}  // namespace gangplan::simulation
