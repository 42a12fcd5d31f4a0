// Gangs whose place word is a ladder: the longer they wait, the less they ask for. Which rung is in
// force follows from how long the pods exist that wait, or for how long their owner has been
// suspended, so that a restart changes nothing. A gang that runs has the rung by which it was
// planned, which its Bindings tell; where replacements wait it climbs on by their age.
//
// Thread rule: the planner's.
#pragma once

#include "absl/time/time.h"
#include "extender/planner/plans.h"
#include "extender/planner/timers.h"

namespace gangplan {

class Ladders {
 public:
  Ladders(const Books& books, Plans& plans) : books_(books), plans_(plans) {}

  // Of each input, before anybody is solved: who has told a ladder is at its rung at once.
  // O(members) of each.
  void Follow(absl::Time now);
  // Groups whose next rung is due ask by that. Likewise.
  void Tick(absl::Time now);

 private:
  void Watch(absl::Time now, GroupId id);
  absl::Time WaitsSince(const Group& group) const;

  const Books books_;
  Plans& plans_;
  Timers<GroupId> due_;
};

}  // namespace gangplan
