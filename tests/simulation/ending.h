// The end of a run: the faults are over, everything that can run must run, what cannot is told so,
// and when all is gone nothing is left behind.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "tests/simulation/deadlock.h"
#include "tests/simulation/users.h"
#include "tests/simulation/world.h"

namespace gangplan::simulation {

class Ending {
 public:
  Ending(World& world, Users& users) : world_(world), users_(users), deadlock_(world) {}

  void Heal();
  void RunAll();
  void CheckBlocked();
  void CleanUp();
  int64_t bound_gangs() const { return bound_gangs_; }
  int64_t ended() const { return deadlock_.ended(); }

 private:
  bool AllFeasibleDone();
  std::string Undone();
  void NoteReasons();
  void GiveUp();
  void CheckResults(const Job& job);
  bool HasBound(const Job& job) const;
  bool IsTold(const Job& job) const;
  bool AllTold() const;

  World& world_;
  Users& users_;
  Deadlock deadlock_;
  int64_t bound_gangs_ = 0;
  std::set<std::string> reasons_;  // Jobs that are refused for good and were told why
};

}  // namespace gangplan::simulation
