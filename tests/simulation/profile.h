// What may happen in one run: everything is off unless a test turns it on. Plain data.
#pragma once

#include <string_view>

namespace gangplan::simulation {

struct Profile {
  bool faults = false;       // lost, late and repeated calls; watches that break
  bool harm = false;         // pods that are deleted or fail
  bool node_faults = false;  // nodes that go, come back, are cordoned
  bool foreign = false;      // pods of nobody's gang
  bool second_scheduler = false;
  bool restarts = false;    // of Gangplan and of the scheduler
  bool preemption = false;  // foreign pods of higher priority
  bool unfit = false;       // nodes that the scheduler never offers to some Job
};

// The flag of this name; null when there is none.
bool Profile::*FlagNamed(std::string_view name);

}  // namespace gangplan::simulation
