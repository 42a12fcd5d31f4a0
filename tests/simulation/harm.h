// What goes wrong in a run, one thing after the other: pods, nodes, programs, watches, foreign pods
// that come. Each kind happens only where the profile has it.
#pragma once

#include <string>

#include "tests/simulation/world.h"

namespace gangplan::simulation {

class Harm {
 public:
  explicit Harm(World& world) : world_(world) {}

  // Runs until `end` and a little longer: whatever was harmed has come back by then.
  void Until(absl::Time end);

 private:
  void Again();
  void Once();
  void Node();
  void LoseNode(const NodeFacts& node);
  void RestartService();
  void RestartScheduler();

  World& world_;
  absl::Time ends_;
};

}  // namespace gangplan::simulation
