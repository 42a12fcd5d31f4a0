// The ConfigMaps that describe gangs in the words of Sakkara's users: they come late, are spoiled,
// deleted, and lose their results.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "tests/simulation/api_server.h"
#include "tests/simulation/job.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

class GroupObjects {
 public:
  GroupObjects(Timeline& time, Random& random, ApiServer& api)
      : time_(time), random_(random), api_(api) {}

  static std::string NameOf(const Job& job) { return "object-of-" + job.spec.name; }
  // It stands as its user means it, or the Job needs none.
  static bool IsSound(const ApiServer& api, const Job& job);
  // Within seconds of the Job, where it has one.
  void Add(const Job& job);
  void Harm(const std::map<std::string, Job>& jobs);
  // As their users meant them; results stay.
  void Heal(const std::map<std::string, Job>& jobs);
  std::function<void(const std::string&)> trace;

 private:
  Timeline& time_;
  Random& random_;
  ApiServer& api_;
};

}  // namespace gangplan::simulation
