// `gangplan list`: the gangs that a running gangplan knows, and where they stand or why they wait.
#pragma once

#include "absl/time/time.h"
#include "extender/cli/command.h"
#include "extender/cli/list_answer.h"
#include "extender/cli/table.h"
#include "topology/base/clock.h"

namespace gangplan {

struct ListRules {
  bool coloured = false;
  absl::Duration pause = absl::Seconds(2);  // of --watch, between two looks
  const Clock* clock = &SystemClock();      // by which gangs are so old
};

// No gangs is an answer, kExitDone. --watch ends with kExitFailed when no answer comes any more.
Command ListCommand(const ListRules& rules);

// A row for each gang that is not in `before` as it is in `now`, by name, then those that are gone.
// That they are older is no news.
std::vector<TableRow> NewsOf(const std::vector<GangLine>& before, const std::vector<GangLine>& now,
                             bool wide);

}  // namespace gangplan
