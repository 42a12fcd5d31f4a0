// Who is asked next: groups wait here for a plan, and leave in one order: the greatest priority,
// then the greatest priority of their object, then the least share of their namespace where that
// counts, then age: that of their objects, whenever we have heard of them, and within one second
// that of the groups. The first two are their rank.
//
// A round that was cut goes on where it ended, within one rank, so that nobody starves behind
// groups that are marked again and again: a circle, which ends when all of the rank were asked. Who
// is older and is marked meanwhile goes before whoever comes next in it, and the circle stays where
// it is: as long as the older ones find room, and so many of them that find none, kMostTurnsBack
// times. A greater rank that comes meanwhile goes first.
//
// A group may be paused: who marks it meanwhile is told when the pause is over.
// Deterministic; thread rule: the planner's.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/ledger.h"
#include "extender/planner/limits.h"
#include "extender/planner/timers.h"

namespace gangplan {

struct SolveRank {
  int32_t priority = 0;
  int32_t object_priority = 0;
  int64_t created = 0;  // Unix seconds
  int64_t share = 0;    // of its namespace (fair_shares.h): the least first; 0: before all of these
};

class SolveQueue {
 public:
  using Rank = std::pair<int64_t, int64_t>;  // negative: the greatest first
  struct Place {
    Rank rank;
    int64_t share = 0;
    int64_t created = 0;
    GroupId group = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  static Place PlaceOf(GroupId group, const SolveRank& rank) {
    return {
        {-int64_t{rank.priority}, -int64_t{rank.object_priority}}, rank.share, rank.created, group};
  }

  // `most_older`: 0: the circle never turns back.
  explicit SolveQueue(int32_t most_older = kMostOlder) : most_older_(most_older) {}

  // Marks the group, or notes that it is to be told of the end of its pause.
  void Mark(GroupId group, const SolveRank& rank);
  // Not marked before `until`, also when it is marked already.
  void Pause(GroupId group, absl::Time until);
  bool Paused(GroupId group) const { return pauses_.Of(group) != absl::InfiniteFuture(); }
  // A pause that doubles each time, up to `most`.
  static absl::Duration PauseAfter(absl::Duration first, int32_t times,
                                   absl::Duration most = kMaxPause);
  void Forget(GroupId group);
  bool Waits(GroupId group) const { return marked_.contains(group); }
  bool empty() const { return order_.empty(); }
  // The next one; it is not marked any more.
  std::optional<GroupId> Take();
  // It has found room. Of the one that was taken last: nobody has waited behind it for nothing.
  void NoteFound(GroupId group);
  // The round ends here, with groups that still wait.
  void Cut();
  // Groups whose pause is over and that were marked meanwhile.
  std::vector<GroupId> EndPauses(absl::Time now);

 private:
  struct Circle {
    std::optional<Place> resume;  // a round was cut after it; it goes on behind it
    int32_t older = 0;            // that were taken since it turned back, and found no room
    int32_t turns_back = 0;       // since it went on last
  };

  void TurnBackTo(const Place& place);
  std::set<Place>::iterator NextOf(Circle& circle);
  bool Remove(GroupId group);  // false: it is not marked
  bool AnyOf(const Rank& rank) const;

  const int32_t most_older_;
  std::set<Place> order_;
  std::map<GroupId, Place> marked_;
  std::map<Rank, Circle> circles_;  // of ranks of which somebody waits
  // Taken last; nothing once its circle, which is one of these, has ended.
  std::optional<Place> last_;
  std::set<GroupId> deferred_;  // marked while paused
  Timers<GroupId> pauses_;
};

}  // namespace gangplan
