// Whether the members of a Job that are not bound could be bound now, all of them and in truth:
// exact for one pod set, and for a leader with workers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/simulation/api_server.h"
#include "tests/simulation/in_tree_rules.h"
#include "tests/simulation/jobs.h"

namespace gangplan::simulation {

enum class Fit {
  kFits,
  kNoRoom,  // what is free where they may stand does not do
  kTorn,    // those that are bound stand in several domains of the hard level
};

class FitFinder {
 public:
  FitFinder(const ApiServer& api, const InTreeRules& rules) : api_(api), rules_(rules) {}

  using Standing = std::map<std::string, std::vector<const PodFacts*>>;  // by node

  // `kept`: pods of others for which room is rightly held.
  Fit Find(const Job& job, const Standing& kept = {}) const;

 private:
  struct Missing {
    std::vector<PodFacts> leaders;  // one at most
    std::vector<PodFacts> others;
  };
  using Nodes = std::vector<const NodeFacts*>;

  Standing StandingBeside(Standing kept) const;
  size_t RunningOf(const Job& job) const;
  Missing MissingOf(const Job& job) const;
  bool AllFit(const Missing& missing, const Standing& standing, const Nodes& nodes,
              const Nodes& leader_nodes) const;
  int64_t Count(const PodFacts& pod, const Standing& standing, const Nodes& nodes) const;
  bool Stands(const PodFacts& pod, const NodeFacts& node,
              const std::vector<const PodFacts*>& standing) const;
  std::vector<Nodes> DomainsFor(const Job& job, bool leader, bool& torn) const;

  const ApiServer& api_;
  const InTreeRules& rules_;
};

}  // namespace gangplan::simulation
