// The rules that must hold after every step, whatever happens outside: the planner's own
// invariants, no node over-committed by a Binding that we wrote, no gang begun in part, every gang
// in one domain of its hard level.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/simulation/api_server.h"
#include "tests/simulation/jobs.h"
#include "tests/simulation/service.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

class Checker : public ServiceObserver {
 public:
  Checker(Timeline& time, ApiServer& api, Service& service, Jobs& jobs);

  void AfterInput() override;
  void Posting(const std::vector<BindingWrite>& posts) override;
  void Told(const PodFacts& pod) override;
  void ToldGone(const std::string& uid) override;
  void Restarted() override;

  // Ranks follow the tree in Jobs that were never disturbed.
  bool ranks_in_order = false;
  int64_t bound_gangs = 0;

 private:
  void BeforeBind(const PodFacts& pod, const std::string& node);
  void CheckRoom(const PodFacts& pod, const std::string& node) const;
  void CheckDomain(const Job& job, const PodFacts& pod, const std::string& node) const;
  void CheckRanks(const Job& job) const;
  bool Begun(const Job& job) const;

  Timeline& time_;
  ApiServer& api_;
  Service& service_;
  Jobs& jobs_;
  std::map<std::string, PodFacts> told_;          // what the planner was told, as it stands
  std::map<std::string, absl::Time> told_bound_;  // when it was told that a pod is bound
  std::map<std::string, absl::Time> posted_;      // when it decided on a pod's last Binding
};

}  // namespace gangplan::simulation
