// The planner under a stream of facts and calls: the first byte chooses what may go wrong, all
// others are the choices of one simulated cluster (tests/simulation): its size, its Jobs, what
// happens and when. When they are used up the seed tells. The simulation's rules are the oracle:
// they hold after every step, and in the end everything that can run runs.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fmt/format.h"
#include "tests/simulation/simulation.h"
#include "topology/base/check.h"

namespace gangplan {
namespace {

using simulation::Profile;

// An input keeps its profile: new ones stand behind the others.
constexpr std::array<Profile, 10> kProfiles = {{
    {.faults = true, .foreign = true, .restarts = true, .slow_reads = true, .owners_away = true},
    {.harm = true, .foreign = true, .preemption = true, .node_moves = true, .remade = true},
    {.faults = true, .harm = true, .node_faults = true, .restarts = true, .first_member = true},
    {.foreign = true, .two_resources = true, .scaling = true, .standby = true, .suspended = true},
    {.faults = true, .harm = true, .node_faults = true, .restarts = true, .gated = true},
    {.foreign = true, .evictions = true, .two_resources = true, .suspended = true},
    {.faults = true,
     .harm = true,
     .node_faults = true,
     .foreign = true,
     .restarts = true,
     .evictions = true,
     .anew = true,
     .unready = true,
     .held = true,
     .suspended = true,
     .ladders = true,
     .backfill = true,
     .spares = true,
     .reserved = true,
     .elastic = true},
    {.two_resources = true, .backfill = true, .shared = true, .promises = true},
    {.faults = true,
     .harm = true,
     .node_faults = true,
     .foreign = true,
     .restarts = true,
     .evictions = true,
     .suspended = true,
     .gated = true,
     .ladders = true,
     .strict = true,
     .shared = true,
     .topologies = true},
    {.faults = true, .foreign = true, .restarts = true, .gated = true, .unasked = true},
}};

}  // namespace

void FuzzPlanner(std::string_view choices) {
  if (choices.empty()) return;
  const Profile& profile = kProfiles[static_cast<uint8_t>(choices[0]) % kProfiles.size()];
  choices.remove_prefix(1);
  const simulation::Verdict verdict =
      simulation::Simulate(simulation::Random(1, choices), profile, {});
  if (!verdict.broken.empty()) fmt::print(stderr, "{}\n", verdict.broken);
  GANGPLAN_CHECK(verdict.broken.empty());
}

}  // namespace gangplan

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gangplan::FuzzPlanner({reinterpret_cast<const char*>(data), size});
  return 0;
}

// Each is a whole run.
extern "C" size_t FuzzTestInputs() { return 2; }
