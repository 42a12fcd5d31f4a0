// The end of a run: the faults are over, everything that can run must run, what cannot is told so,
// and when all is gone nothing is left behind.
#pragma once

#include <string>

#include "tests/simulation/world.h"

namespace gangplan::simulation {

class Ending {
 public:
  explicit Ending(World& world) : world_(world) {}

  void Heal();
  void RunAll();
  void CheckBlocked();
  void CleanUp();

 private:
  bool AllFeasibleDone();
  std::string Undone();
  void EndDeadlock();
  void EndOne(const Job& job);
  void CheckResults(const Job& job);

  World& world_;
};

}  // namespace gangplan::simulation
