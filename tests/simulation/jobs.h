// The Job controller: makes pods slowly, makes them again when they are lost, and ends them when
// they ran long enough.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "tests/simulation/api_server.h"
#include "tests/simulation/job.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

class Jobs {
 public:
  Jobs(Timeline& time, Random& random, ApiServer& api) : time_(time), random_(random), api_(api) {}

  void Add(Job job);
  // Makes what is missing, ends what ran long enough. Call it now and then.
  void Step();
  // Deletes a random pod of a random Job, or lets it fail.
  void Harm();
  // It is done; its pods are deleted unless it keeps them.
  void Finish(Job& job);
  void DeletePods(const Job& job);
  static OwnerFacts OwnerOf(const Job& job);
  // Its user, or its controller, has changed it.
  void Put(const Job& job);

  // The Job of a pod; null for others.
  const Job* Of(const std::string& pod_uid) const;
  std::map<std::string, Job>& all() { return jobs_; }  // by UID
  bool rolls = false;                                  // StatefulSets lose a pod now and then
  bool succeeded_go = false;                // half of the pods that have succeeded are deleted
  std::function<void(const Job&)> on_done;  // every pod has succeeded
  std::function<void(const std::string&)> trace;

 private:
  void Make(Job& job);
  void Roll(Job& job);
  // A Job that waits, or did so, as its object is to be.
  static JobFacts FactsOf(const Job& job);
  bool IsSuspended(Job& job);
  void Watch(Job& job);
  bool Waits(const Job::Index& index) const;
  void LetSucceed(Job::Index& index, absl::Duration after);

  Timeline& time_;
  Random& random_;
  ApiServer& api_;
  std::map<std::string, Job> jobs_;
  std::map<std::string, std::string> job_of_;  // pod UID to Job UID
};

}  // namespace gangplan::simulation
