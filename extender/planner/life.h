// A group's life as one table: in this state, on this event, when this guard holds, do this and go
// there. The first row that matches wins; an event without a row changes nothing. The table is the
// truth; docs/states.md is printed from it. Pure data; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gangplan {

enum class GroupState : uint8_t {
  kNew,        // members are known; to be planned
  kGathering,  // has a plan and holds; members are missing
  kPlanned,    // has a plan and holds; every member was seen
  kBinding,    // Bindings are written: from here on never called off, only repaired
  kRunning,    // every member is bound
  kRepairing,  // was whole; a member is being replaced
  kBlocked,    // no plan: waits for capacity, or is impossible
  kReleased,   // gave its plan back; waits for its members to change, or to be asked for, all
  kDone,       // every member has finished
};
inline constexpr int kGroupStates = 9;

enum class GroupEvent : uint8_t {
  kMembersChanged,  // a member came or went
  kPlanFound,       // a solve gave every wanted slot a node
  kPlanFailed,      // a solve did not
  kCapacityGained,  // something changed that may help
  kSlotLost,        // a held node went, or its room did
  kCalled,          // a bind call came in
  kCommitted,       // the commit was checked, the Bindings are on their way
  kSettled,         // a Binding's outcome is known
  kTimeout,         // the group's deadline has passed
  kFinished,        // a member finished
  kAsked,           // the scheduler asked for a member
};

enum class GroupGuard : uint8_t {
  kAlways,
  kComplete,  // every open slot has a member
  kIncomplete,
  kStarted,  // some slot is bound or on its way
  kNotStarted,
  kAllBound,   // every slot is bound or finished
  kAllCalled,  // every open slot's member is in bind
  kAllFinished,
  kAllAsked,   // the scheduler has asked for every member since the release
  kNoneLive,   // every member that is left has finished
  kProgress,   // more members are there, or bound, than ever when the end was set
  kWants,      // a member has no node
  kFruitless,  // not started, and its room has come to nothing more than once
  kUnplanned,  // its slots have gone, since it has another size
};

enum class GroupAction : uint8_t {
  kNothing,
  kSolve,  // queue it: slots without a node get one around what stands. Of a group that has not
           // started all is let go and planned anew when that fails. Fires PlanFound, PlanFailed
  kArmGather,  // its room ends after gang.gatherTimeout: the missing members are to come
  kArmStart,   // likewise: its members are to be bound
  kArmRepair,  // likewise: lost members are to be replaced
  kDisarm,     // it holds nothing that could end
  kRelease,    // give every hold back, answer held calls with an error; plan again after a pause
  kGiveUp,     // give back what is held and not on its way
  kAskCommit,  // the service looks after closed calls, then commits
};

struct LifeRow {
  GroupState state;
  GroupEvent event;
  GroupGuard guard;
  GroupAction action;
  GroupState next;
};

std::span<const LifeRow> LifeTable();

std::string_view Name(GroupState state);
std::string_view Name(GroupEvent event);
std::string_view Name(GroupGuard guard);
std::string_view Name(GroupAction action);

// The table in Markdown, as it stands in docs/states.md.
std::string LifeTableText();

}  // namespace gangplan
