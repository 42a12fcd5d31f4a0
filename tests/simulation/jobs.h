// What runs on the fake cluster: a Job controller that makes pods slowly and makes them again,
// foreign pods, and a second scheduler that binds into the same nodes without asking anybody.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/simulation/api_server.h"
#include "tests/simulation/timeline.h"
#include "tests/support/planner_world.h"

namespace gangplan::simulation {

struct Job {
  JobSpec spec;
  int hard_level = -1;      // 0 block, 1 rack: all in one of these
  bool feasible = true;     // on the empty cluster
  std::string constraints;  // not empty: a ConfigMap of Sakkara's users describes it, with these
  bool disturbed = false;   // a pod or a slot of it was taken away: ranks may be out of order
  absl::Duration run_for;
  absl::Duration pod_every;       // how slowly its pods are made
  std::vector<std::string> pods;  // UID by index; empty: none now
  std::vector<int> lives;
  std::vector<bool> succeeded;
  absl::Time all_bound_since = absl::InfiniteFuture();
  bool done = false;  // its pods are deleted, none is made any more
};

class Jobs {
 public:
  Jobs(Timeline& time, Random& random, ApiServer& api) : time_(time), random_(random), api_(api) {}

  void Add(Job job);
  // Makes what is missing, ends what ran long enough. Call it now and then.
  void Step();
  // Deletes a random pod of a random Job, or lets it fail.
  void Harm();
  void Finish(Job& job);  // deletes its pods

  // A pod of nobody; `second`: bound by the second scheduler where the truth has room.
  void AddForeign(bool second, int64_t gpus, int32_t priority);
  void EndForeign();

  // The ConfigMap of a random Job is spoiled, deleted, or loses its results.
  void HarmObject();
  void HealObjects();  // their words are as their users meant them

  // The Job of a pod; null for others.
  const Job* Of(const std::string& pod_uid) const;
  std::map<std::string, Job>& all() { return jobs_; }
  bool second(const std::string& pod_uid) const { return second_.contains(pod_uid); }
  int64_t Free(const std::string& node) const;  // in truth
  std::function<void(const std::string&)> trace;

 private:
  void Make(Job& job);
  static ConfigMapFacts ObjectOf(const Job& job);
  void Watch(Job& job);

  Timeline& time_;
  Random& random_;
  ApiServer& api_;
  std::map<std::string, Job> jobs_;             // by name
  std::map<std::string, std::string> job_of_;   // pod UID to Job name
  std::map<std::string, absl::Time> next_pod_;  // by Job name
  std::set<std::string> foreign_;
  std::set<std::string> second_;
  int next_foreign_ = 0;
};

int64_t Gpus(const ResourceList& list);

}  // namespace gangplan::simulation
