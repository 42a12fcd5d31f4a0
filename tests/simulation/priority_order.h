// Order: while a gang waits that is complete and could stand, no gang of a smaller priority begins
// where it would. Decided when a gang begins, by the planner's own model: a waiting gang is
// overtaken when it fits with the room of the one that begins, and does not fit without it. Gangs
// of one pod set in our own words, without rules that only the scheduler sees, that have given
// nothing back.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/simulation/in_tree_rules.h"
#include "tests/simulation/jobs.h"
#include "tests/simulation/room.h"
#include "tests/simulation/service.h"
#include "tests/simulation/told.h"

namespace gangplan::simulation {

class PriorityOrder : public ServiceObserver {
 public:
  PriorityOrder(const Timeline& time, Service& service, const Told& told, Jobs& jobs,
                const InTreeRules& rules)
      : time_(time), service_(service), told_(told), jobs_(jobs), rules_(rules) {}

  void OnPod(const PodFacts& pod) override { seen_.try_emplace(pod.uid, time_.now()); }
  void OnRestart() override;
  void OnPosts(const std::vector<BindingWrite>& posts) override;

 private:
  using Room = std::map<std::string, Amounts>;  // by node

  void CheckBegin(const Job& begins, const std::vector<const BindingWrite*>& posts);
  bool HasBegun(const Job& job) const;
  bool IsFixed(const std::vector<const BindingWrite*>& posts) const;
  bool WaitsWhole(const Job& job);
  Room FreeInModel();
  // `maintained`: also on nodes that are to be empty, which may take it or not.
  bool Fits(const Job& job, const Room& room, bool maintained) const;

  const Timeline& time_;
  Service& service_;
  const Told& told_;
  Jobs& jobs_;
  const InTreeRules& rules_;
  // In this life of the planner.
  std::map<std::string, absl::Time> seen_;
  std::map<std::string, std::string> posted_;  // by pod, the node
};

}  // namespace gangplan::simulation
