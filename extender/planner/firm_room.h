// Room of reservations by name, as pods of no gang meet it: what their users hold there gives way
// to none of them, whatever its priority is, and what comes free on their nodes is theirs at once.
// The cluster's own pods go before all of it.
// A value for one question. Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "extender/planner/books.h"

namespace gangplan {

class FirmRoom {
 public:
  // Of a pod of this priority. Where there are no reservations O(1), else O(users and their
  // slots).
  FirmRoom(const Books& books, int32_t priority);

  // What users hold that would give way to it elsewhere, by node.
  const std::map<NodeIndex, ResourceList>& held() const { return held_; }
  // The requests, and what of these is held so there.
  ResourceList With(NodeIndex node, ResourceList requests) const;
  bool Keeps(GroupId group) const { return keep_.contains(group); }
  // What comes free there, of any of this, is not the pod's. O(reservations).
  bool TakesWhatIsLeft(NodeIndex node, const ResourceList& requests) const;

 private:
  const Books& books_;
  const bool counts_;
  std::set<GroupId> keep_;
  std::map<NodeIndex, ResourceList> held_;
};

}  // namespace gangplan
