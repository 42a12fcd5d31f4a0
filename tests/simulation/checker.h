// The rules that must hold after every step, whatever happens outside: the planner's own
// invariants, no node over-committed by a Binding that we wrote, no gang begun in part, every gang
// in one topology and in one domain of its hard level, room kept for every Binding that is on its
// way.
#pragma once

#include <string>
#include <vector>

#include "tests/simulation/api_server.h"
#include "tests/simulation/foreign_pods.h"
#include "tests/simulation/jobs.h"
#include "tests/simulation/service.h"
#include "tests/simulation/told.h"

namespace gangplan::simulation {

class Checker : public ServiceObserver {
 public:
  Checker(ApiServer& api, Service& service, const Told& told, const Jobs& jobs,
          const ForeignPods& foreign);

  void AfterInput() override;
  void AfterResult(const BindingRead& about, BindOutcome outcome) override;
  void OnRelease(const PodRelease& release) override;
  void OnPosts(const std::vector<BindingWrite>& posts) override;

  bool together = true;       // no member starts alone: start when all-members
  bool each_attempt = false;  // results are told apart by their Binding's attempt
  // Ranks follow the tree in Jobs that were never disturbed.
  bool ranks_in_order = false;

 private:
  void BeforeBind(const PodFacts& pod, const std::string& node);
  void CheckRoom(const PodFacts& pod, const std::string& node) const;
  void CheckHome(const Job& job, const PodFacts& pod, const std::string& node) const;
  void CheckDomain(const Job& job, const PodFacts& pod, const std::string& node) const;
  void CheckRanks(const Job& job) const;
  void CheckOpenWrites() const;
  bool Begun(const Job& job) const;
  bool FollowsAnother(const Job& job) const;
  bool IsStray(const std::string& uid, const std::string& node) const;

  ApiServer& api_;
  Service& service_;
  const Told& told_;
  const Jobs& jobs_;
  const ForeignPods& foreign_;
};

}  // namespace gangplan::simulation
