// A pod without any word of ours is nobody's hostage: once the planner has known it for a while, it
// is never answered by an error, whatever cannot be read.
#pragma once

#include <map>
#include <string>

#include "tests/simulation/foreign_pods.h"
#include "tests/simulation/service.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

class PlainPods : public ServiceObserver {
 public:
  PlainPods(const Timeline& time, const ForeignPods& foreign) : time_(time), foreign_(foreign) {}

  void OnPod(const PodFacts& pod) override { seen_.try_emplace(pod.uid, time_.now()); }
  void OnRestart() override { seen_.clear(); }
  void OnFilter(const PodFacts& pod, const FilterDecision& decision) override;

 private:
  const Timeline& time_;
  const ForeignPods& foreign_;
  std::map<std::string, absl::Time> seen_;  // in this life of the planner
};

}  // namespace gangplan::simulation
