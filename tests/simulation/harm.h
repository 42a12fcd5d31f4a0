// What goes wrong in a run, one thing after the other: pods, nodes, programs, watches, foreign pods
// that come, users who change what they asked for. Each kind happens only where the profile has it.
#pragma once

#include <functional>
#include <vector>

#include "tests/simulation/node_harm.h"
#include "tests/simulation/users.h"
#include "tests/simulation/world.h"

namespace gangplan::simulation {

class Harm {
 public:
  Harm(World& world, Users& users);

  // Runs until `end` and a little longer: whatever was harmed has come back by then.
  void Until(absl::Time end);

 private:
  void Again();
  void ForeignPod();
  void HideOwners();
  void BreakStreams();
  void RestartService();
  void RestartScheduler();

  World& world_;
  Users& users_;
  NodeHarm nodes_;
  std::vector<std::function<void()>> kinds_;  // one of these at a time; twice: more often
  absl::Time ends_;
};

}  // namespace gangplan::simulation
