// The groups, and the owners that wait without one, read from the planner in several short turns;
// and who of them would go on with more room.
//
// Thread rule: any thread; not within a turn.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "extender/app/limits.h"
#include "extender/app/locked_planner.h"

namespace gangplan {

// take(reports) of one turn after the other, groups first, by their number. What comes or goes
// meanwhile is told or not.
template <typename Take>
void EachGroups(LockedPlanner& planner, Take take) {
  for (int64_t after = 0;;) {
    std::vector<GroupReport> some = planner.Take(
        TurnFor::kReport, [after](Planner& inner) { return inner.List(after, kGroupsPerTurn); });
    if (some.empty()) break;
    after = some.back().id;
    take(std::move(some));
  }
  std::string after;
  do {
    take(planner.Take(TurnFor::kReport,
                      [&after](Planner& inner) { return inner.ListAlone(after, kGroupsPerTurn); }));
  } while (!after.empty());
}

// As far as its report says; it may stand behind others.
inline bool LacksRoom(const GroupReport& report) {
  const bool room = report.outcome == Outcome::kWait || report.outcome == Outcome::kImpossible;
  return report.id != 0 && report.state == GroupState::kBlocked && room;
}

}  // namespace gangplan
