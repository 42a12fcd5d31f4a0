// What the objects that describe groups, and the groups' pods, are told of how the groups go: some
// while after something has changed, never on the road of a call, and again with growing pauses
// while writes do not go through or others undo them.
//
// Invariant: a group is due only while none of its writes is on its way, since their order may be
// lost. What is due depends on the order of the calls only.
// Thread rule: the planner's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "extender/frontends/group_objects.h"
#include "extender/planner/effects.h"
#include "extender/planner/life.h"

namespace gangplan {

// How a group stands, in short: when it differs from the last time, there is news to be told.
struct ResultsMark {
  GroupState state = GroupState::kNew;
  int32_t bound = 0;
  int32_t finished = 0;
  size_t members = 0;
  int32_t plans = 0;
  friend bool operator==(const ResultsMark&, const ResultsMark&) = default;
};

// `complete`: every slot that is open has its member.
GroupPhase PhaseOf(GroupState state, bool complete);

class Results {
 public:
  // The group as it stands now; only for groups whose front end tells results. O(1) when nothing is
  // news, else O(log groups).
  void Look(absl::Time now, int64_t group, const ResultsMark& mark);
  // The object that describes the group was changed by somebody: it may lack results now.
  void ObjectChanged(absl::Time now, int64_t group);
  void Forget(int64_t group);

  // The groups that are due, by their ids; each is to be told by Tell, or waits for its next news.
  std::vector<int64_t> TakeDue(absl::Time now);
  // Asks `objects` for what is lacking, and has it written.
  void Tell(int64_t group, const GroupStanding& standing, const GroupObjects& objects,
            Effects& effects);
  // Of each WriteResults and WriteMemberLabels. `again`: it has not gone through, but may do so.
  void OnWritten(absl::Time now, int64_t group, bool again);

  // How long what has changed waits to be told, where that has been tried so often: it doubles each
  // time, up to kMaxResultsAfter.
  static absl::Duration DelayAfter(int tries);

 private:
  struct Entry {
    ResultsMark mark;  // as it was looked at last
    absl::Time due = absl::InfiniteFuture();
    int tries = 0;  // since the group itself has changed
    int open = 0;   // writes on their way
  };
  using Entries = std::map<int64_t, Entry>;

  // Due at `when`, or before where it was.
  void Hasten(Entries::iterator at, absl::Time when);
  void Queue(Entries::iterator at);
  void Unqueue(Entries::iterator at);

  Entries groups_;
  std::set<std::pair<absl::Time, int64_t>> due_;  // of those without open writes
};

}  // namespace gangplan
