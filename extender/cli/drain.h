// What becomes of gangs when nodes of a saved cluster are to be emptied. Pure but for the planner
// that is asked; one thread.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/app/dry_run.h"
#include "extender/cli/replay.h"

namespace gangplan {

// The nodes of this name, or of the domain or node of this path ("block-1/rack-2"). Errors say what
// it may have meant.
absl::StatusOr<std::set<std::string>> NodesOf(DryRun& run, std::string_view what);

struct DrainedGang {
  ReplayedGang gang;
  int64_t loses = 0;    // members that stand on the nodes
  int64_t members = 0;  // that stand anywhere
  // All of them have room elsewhere. Not told, and false, of one that loses them all and Stays
  // would leave where it is: who comes in place of those depends on what their owner makes anew.
  bool fits = false;
};
struct Drain {
  std::set<std::string> nodes;
  std::vector<DrainedGang> gangs;  // that are hit, by name
  // Pods of none on the nodes, but for those that leave by themselves, or that `kubectl drain`
  // leaves: those that have finished or are going, and those of DaemonSets.
  int64_t others = 0;
};
// `run`: over these objects by these settings. Who leaves a node comes anew at its time.
Drain DrainOf(const Settings& settings, const ObjectList& objects, DryRun& run,
              std::set<std::string> nodes);

}  // namespace gangplan
