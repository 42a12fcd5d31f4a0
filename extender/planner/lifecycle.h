// The groups' lives: events go into a queue, and one loop carries them out by the life table. What
// an action fires goes into the same queue, so that nothing is entered twice.
//
// The only class that sets a group's state. Thread rule: the planner's.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/effects.h"
#include "extender/planner/group_book.h"
#include "extender/planner/history.h"
#include "extender/planner/life.h"

namespace gangplan {

// Who carries actions out.
class LifeActions {
 public:
  virtual ~LifeActions() = default;
  virtual void Carry(absl::Time now, Group& group, GroupAction action) = 0;
};

class Lifecycle {
 public:
  // `starts_incomplete`: a group need not be complete to be placed.
  Lifecycle(GroupBook& groups, bool starts_incomplete)
      : groups_(groups), starts_incomplete_(starts_incomplete) {}

  void Fire(GroupId group, GroupEvent event) {
    events_.emplace_back(group, event);
    touched_.insert(group);
  }
  // Something of the group is to be told, without an event of its life.
  void Touch(GroupId group) { touched_.insert(group); }
  // It is gone, or is read anew (and then stale): nothing more of it is to be told. `waits`: its
  // owner does, and has another one made. REQUIRES: it is still found.
  void Forget(GroupId group, bool waits);
  // Groups with an event or a touch since the last call.
  std::set<GroupId> TakeTouched() { return std::exchange(touched_, {}); }
  // Until no event is left. Events of groups that are gone, of which no sound member has told what
  // they are, or that are to be read anew, change nothing.
  void Run(absl::Time now, LifeActions& actions);
  bool idle() const { return events_.empty(); }
  // There are events of it. O(events).
  bool Awaits(GroupId group) const {
    return std::any_of(events_.begin(), events_.end(),
                       [&](const auto& event) { return event.first == group; });
  }
  const History& history() const { return history_; }
  // Changes of groups since the last call, as people are told them: not that one was looked at anew
  // and waits as before. The Events are missing.
  std::vector<std::pair<GroupId, GangChange>> TakeChanges() { return std::exchange(changes_, {}); }

  bool Holds(const Group& group, GroupGuard guard) const;

 private:
  // What was told of a group last.
  struct Told {
    GroupState state = GroupState::kNew;
    size_t why = 0;  // its hash
    friend bool operator==(const Told&, const Told&) = default;
  };

  void RunOne(absl::Time now, Group& group, GroupEvent event, LifeActions& actions);
  void NoteChange(absl::Time now, const Group& group, const GroupWait& before);

  GroupBook& groups_;
  const bool starts_incomplete_;
  std::deque<std::pair<GroupId, GroupEvent>> events_;
  std::set<GroupId> touched_;
  History history_;
  std::map<GroupId, Told> told_;
  std::vector<std::pair<GroupId, GangChange>> changes_;
  absl::Time now_;  // of the last Run
};

}  // namespace gangplan
