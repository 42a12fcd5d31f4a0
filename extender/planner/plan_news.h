// What has become of groups, for those who started them or let their pods go: told once, and taken
// by them. Plain data; any thread.
#pragma once

#include <map>
#include <set>
#include <string>

#include "extender/planner/group.h"

namespace gangplan {

// Of groups that are ours to start.
struct StartNews {
  std::set<GroupId> placed;      // every slot has room
  std::set<GroupId> given_back;  // it came to nothing in its time
  // There is none for all of it, or, where it ran, will never be for what it has lost.
  std::set<GroupId> blocked;
  std::map<GroupId, GroupStart> erased;  // with how far its start was
};

// Of groups with members that are gated, or were.
struct GateNews {
  std::set<GroupId> changed;      // something of it has, or it is gone
  std::set<GroupId> stuck;        // there is no room for all where members of it were released to
  std::set<GroupId> given_back;   // of such, whose room came to nothing in its time
  std::set<std::string> refused;  // by the scheduler, where they were released to; UIDs
};

}  // namespace gangplan
