// The groups' lives: events go into a queue, and one loop carries them out by the life table. What
// an action fires goes into the same queue, so that nothing is entered twice.
//
// The only class that sets a group's state. Thread rule: the planner's.
#pragma once

#include <array>
#include <deque>
#include <set>
#include <utility>

#include "absl/time/time.h"
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
  // It is gone: nothing of it is to be told.
  void Forget(GroupId group) { touched_.erase(group); }
  // Groups with an event or a touch since the last call.
  std::set<GroupId> TakeTouched() { return std::exchange(touched_, {}); }
  // Until no event is left. Events of groups that are gone, of which no sound member has told what
  // they are, or that are to be read anew, change nothing.
  void Run(absl::Time now, LifeActions& actions);
  bool idle() const { return events_.empty(); }
  const History& history() const { return history_; }

  bool Holds(const Group& group, GroupGuard guard) const;

 private:
  void RunOne(absl::Time now, Group& group, GroupEvent event, LifeActions& actions);

  GroupBook& groups_;
  const bool starts_incomplete_;
  std::deque<std::pair<GroupId, GroupEvent>> events_;
  std::set<GroupId> touched_;
  History history_;
};

}  // namespace gangplan
