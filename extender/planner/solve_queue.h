// Who is asked next: groups wait here for a plan, and leave in one order: the greatest priority,
// then the greatest priority of their object, then age: that of their objects, whenever we have
// heard of them, and within one second that of the groups. A round that was cut goes on where it
// ended, within one priority, so that nobody starves behind groups that are marked again and again
// and find no room; a greater priority that comes meanwhile goes first.
//
// A group may be paused: who marks it meanwhile is told when the pause is over.
// Deterministic; thread rule: the planner's.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/ledger.h"
#include "extender/planner/timers.h"

namespace gangplan {

struct SolveRank {
  int32_t priority = 0;
  int32_t object_priority = 0;
  int64_t created = 0;  // Unix seconds
};

class SolveQueue {
 public:
  // Marks the group, or notes that it is to be told of the end of its pause.
  void Mark(GroupId group, const SolveRank& rank);
  // Not marked before `until`, also when it is marked already.
  void Pause(GroupId group, absl::Time until);
  bool Paused(GroupId group) const { return pauses_.Of(group) != absl::InfiniteFuture(); }
  // A pause that doubles each time, up to a bound.
  static absl::Duration PauseAfter(absl::Duration first, int32_t times);
  void Forget(GroupId group);
  bool Waits(GroupId group) const { return marked_.contains(group); }
  bool empty() const { return order_.empty(); }
  // The next one; it is not marked any more.
  std::optional<GroupId> Take();
  // The one that was taken has found its room: to turn back to it was no loss.
  void NoteFound() { turns_back_ = 0; }
  // The round ends here, with groups that still wait.
  void Cut() { resume_ = last_; }
  // Groups whose pause is over and that were marked meanwhile.
  std::vector<GroupId> EndPauses(absl::Time now);

 private:
  struct Place {
    int64_t priority = 0;  // negative: the greatest first
    int64_t object_priority = 0;
    int64_t created = 0;
    GroupId group = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
    bool SameRank(const Place& other) const {
      return priority == other.priority && object_priority == other.object_priority;
    }
  };

  void TurnBack();
  void StartOver();
  void EndCircle();
  bool Remove(GroupId group);  // false: it is not marked

  std::set<Place> order_;
  std::map<GroupId, Place> marked_;
  std::set<GroupId> deferred_;  // marked while paused
  Timers<GroupId> pauses_;
  std::optional<Place> last_;    // taken last, since all were asked or it has turned back
  std::optional<Place> resume_;  // the round was cut after it
  int32_t turns_back_ = 0;       // to who is older, since all were asked or one found room
};

}  // namespace gangplan
