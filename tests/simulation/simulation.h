// One simulated cluster from one seed: the real planner between a fake API server and a fake
// kube-scheduler, Jobs, foreign pods, a second scheduler, and faults. First everything goes wrong;
// then the faults end and everything that can run must run, and nothing may be left behind.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tests/simulation/profile.h"
#include "tests/simulation/timeline.h"

namespace gangplan::simulation {

struct Verdict {
  std::string broken;  // empty: every rule held
  int64_t bound_gangs = 0;
  int64_t steps = 0;
  int64_t ended = 0;  // gangs that their users ended, since they stood in each other's way
};

// The same chance and profile give the same run. `trace` may be empty.
Verdict Simulate(const Random& chance, const Profile& profile,
                 const std::function<void(const std::string&)>& trace);

}  // namespace gangplan::simulation
