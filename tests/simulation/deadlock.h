// Gangs that have begun and lost members may stand in each other's way, or their nodes were moved
// apart: no planner can mend that without evicting. Their user ends one of them then, and only
// when it is proved: none of those that stand could go on in truth.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/simulation/fit.h"
#include "tests/simulation/world.h"

namespace gangplan::simulation {

class Deadlock {
 public:
  explicit Deadlock(World& world) : world_(world), finder_(world.api, world.scheduler.rules) {}

  // Ends one gang of a deadlock, and says why; false: there is none.
  bool End();
  int64_t ended() const { return ended_; }

 private:
  World& world_;
  const FitFinder finder_;
  int64_t ended_ = 0;
};

}  // namespace gangplan::simulation
