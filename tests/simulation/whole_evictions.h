// Evictions: a gang that runs is evicted as a whole or not at all, or loses what it can do without,
// only where one of greater priority waits, and no new member of it is bound before the last old
// one has stopped. A pod of no gang is evicted only where a gang of greater priority waits and
// gangs give way, and never by force. In truth, as the API server knows it, whatever the planner
// was told.
#pragma once

#include <map>
#include <set>
#include <string>

#include "tests/simulation/api_server.h"
#include "tests/simulation/jobs.h"
#include "tests/simulation/kubelets.h"
#include "tests/simulation/service.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

class WholeEvictions : public ServiceObserver {
 public:
  // Who may go, and why.
  struct Allowed {
    bool lesser = false;   // whoever is of lower priority than one that waits
    bool anew = false;     // a gang that lacks some of its pods
    bool unready = false;  // one of which some are not ready
    bool calm = false;     // nothing but the planner takes pods away
  };
  WholeEvictions(const Timeline& time, Service& service, ApiServer& api, Jobs& jobs,
                 const Kubelets& kubelets, const Allowed& allowed);

  // Throws Broken. Once a second.
  void Check();
  void OnPosts(const std::vector<BindingWrite>& posts) override;

 private:
  struct Eviction {
    absl::Time since;            // of the service's life: who is dead evicts nobody
    std::set<std::string> pods;  // that ran when the first of them was evicted
  };

  void Begin(const Job& job);
  void CheckSingle(const PodFacts& pod, PodDelete::How how);
  bool GivesUpSome(const Job& job) const;
  void CheckGreater(const Job& job);
  bool Runs(const std::string& uid) const;
  bool Lacks(const Job& job) const;
  void NoteWaiting();

  const Timeline& time_;
  Service& service_;
  ApiServer& api_;
  Jobs& jobs_;
  const Kubelets& kubelets_;
  const Allowed allowed_;
  std::map<std::string, Eviction> evictions_;  // by the Job's UID
  // When a pod of this priority waited last, by the topology that it goes to.
  std::map<std::string, std::map<int32_t, absl::Time>> waited_;
};

}  // namespace gangplan::simulation
