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

// The nodes of this name, or of the domain of this path ("block-1/rack-2"). Errors say what it may
// have meant.
absl::StatusOr<std::set<std::string>> NodesOf(DryRun& run, std::string_view what);

struct DrainedGang {
  ReplayedGang gang;
  int64_t loses = 0;  // members on the nodes
  int64_t members = 0;
  bool fits = false;  // all of them have room elsewhere
};
struct Drain {
  std::set<std::string> nodes;
  std::vector<DrainedGang> gangs;  // that are hit, by name
  int64_t others = 0;              // pods of none on the nodes
};
Drain DrainOf(const Settings& settings, const ObjectList& objects,
              const std::vector<GroupReport>& gangs, std::set<std::string> nodes);

}  // namespace gangplan
