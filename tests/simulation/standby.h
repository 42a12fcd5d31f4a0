// A second Gangplan beside the one that acts: it is told everything, and writes nothing.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "extender/planner/planner.h"
#include "tests/simulation/api_server.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

class Standby : public Watcher {
 public:
  Standby(Timeline& time, Random& random, ApiServer& api, PlannerOptions options);

  void Start();

  void SeePod(const PodFacts& pod) override;
  void SeePodGone(const std::string& uid) override;
  void SeeNode(const NodeFacts& node) override;
  void SeeNodeGone(const std::string& name) override;
  void SeeObject(const ConfigMapFacts& object) override;
  void SeeObjectGone(const std::string& name) override;
  void SeeOwner(const OwnerFacts& owner) override;
  void SeeJob(const JobFacts& job) override;
  void SeeJobLeft(const std::string& uid) override;
  void SeeSynced() override;

 private:
  void TickAgain();
  // Reads and copies are answered; anything else breaks the rule.
  void Pump();

  Timeline& time_;
  Random& random_;
  ApiServer& api_;
  Planner planner_;
};

}  // namespace gangplan::simulation
