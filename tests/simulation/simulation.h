// One simulated cluster from one seed: the real planner between a fake API server and a fake
// kube-scheduler, Jobs, foreign pods, a second scheduler, and faults. First everything goes wrong;
// then the faults end and everything that can run must run, and nothing may be left behind.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tests/simulation/profile.h"

namespace gangplan::simulation {

struct Verdict {
  std::string broken;  // empty: every rule held
  int64_t bound_gangs = 0;
  int64_t steps = 0;
};

// The same seed and profile give the same run. `trace` may be empty.
Verdict Simulate(uint64_t seed, const Profile& profile,
                 const std::function<void(const std::string&)>& trace);

}  // namespace gangplan::simulation
