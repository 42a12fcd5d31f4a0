#include "extender/planner/life.h"

#include "fmt/format.h"

namespace gangplan {
namespace {

using S = GroupState;
using E = GroupEvent;
using G = GroupGuard;
using A = GroupAction;

constexpr LifeRow kTable[] = {
    {S::kNew, E::kMembersChanged, G::kAlways, A::kSolve, S::kNew},
    {S::kNew, E::kCapacityGained, G::kAlways, A::kSolve, S::kNew},
    {S::kNew, E::kPlanFound, G::kAllBound, A::kDisarm, S::kRunning},
    {S::kNew, E::kPlanFound, G::kStarted, A::kArmStart, S::kBinding},
    {S::kNew, E::kPlanFound, G::kComplete, A::kArmStart, S::kPlanned},
    {S::kNew, E::kPlanFound, G::kAlways, A::kArmGather, S::kGathering},
    {S::kNew, E::kPlanFailed, G::kStarted, A::kArmStart, S::kBinding},
    {S::kNew, E::kPlanFailed, G::kAlways, A::kDisarm, S::kBlocked},

    {S::kGathering, E::kMembersChanged, G::kAllBound, A::kDisarm, S::kRunning},
    {S::kGathering, E::kMembersChanged, G::kComplete, A::kArmStart, S::kPlanned},
    {S::kGathering, E::kSlotLost, G::kAlways, A::kRefill, S::kGathering},
    {S::kGathering, E::kPlanFailed, G::kAlways, A::kDisarm, S::kBlocked},
    {S::kGathering, E::kCommitted, G::kAlways, A::kArmStart, S::kBinding},
    {S::kGathering, E::kTimeout, G::kAlways, A::kRelease, S::kReleased},

    {S::kPlanned, E::kMembersChanged, G::kAllBound, A::kDisarm, S::kRunning},
    {S::kPlanned, E::kMembersChanged, G::kIncomplete, A::kArmGather, S::kGathering},
    {S::kPlanned, E::kSlotLost, G::kAlways, A::kRefill, S::kPlanned},
    {S::kPlanned, E::kPlanFailed, G::kAlways, A::kDisarm, S::kBlocked},
    {S::kPlanned, E::kCalled, G::kAllCalled, A::kAskCommit, S::kPlanned},
    {S::kPlanned, E::kCommitted, G::kAlways, A::kArmStart, S::kBinding},
    {S::kPlanned, E::kTimeout, G::kAlways, A::kRelease, S::kReleased},

    {S::kBinding, E::kSettled, G::kAllBound, A::kDisarm, S::kRunning},
    {S::kBinding, E::kSettled, G::kStarted, A::kNothing, S::kBinding},
    {S::kBinding, E::kSettled, G::kAlways, A::kRefill, S::kNew},
    {S::kBinding, E::kMembersChanged, G::kNotStarted, A::kRefill, S::kNew},
    {S::kBinding, E::kMembersChanged, G::kAllBound, A::kDisarm, S::kRunning},
    {S::kBinding, E::kMembersChanged, G::kAlways, A::kFill, S::kBinding},
    {S::kBinding, E::kSlotLost, G::kAlways, A::kFill, S::kBinding},
    {S::kBinding, E::kCapacityGained, G::kAlways, A::kFill, S::kBinding},
    {S::kBinding, E::kTimeout, G::kAlways, A::kReleaseVacant, S::kBinding},
    {S::kBinding, E::kFinished, G::kAllFinished, A::kDisarm, S::kDone},
    {S::kBinding, E::kFinished, G::kAllBound, A::kDisarm, S::kRunning},

    {S::kRunning, E::kMembersChanged, G::kAllBound, A::kNothing, S::kRunning},
    {S::kRunning, E::kMembersChanged, G::kNotStarted, A::kRefill, S::kNew},
    {S::kRunning, E::kMembersChanged, G::kAlways, A::kFill, S::kRepairing},
    {S::kRunning, E::kFinished, G::kAllFinished, A::kDisarm, S::kDone},

    {S::kRepairing, E::kMembersChanged, G::kAllBound, A::kDisarm, S::kRunning},
    {S::kRepairing, E::kMembersChanged, G::kNotStarted, A::kRefill, S::kNew},
    {S::kRepairing, E::kMembersChanged, G::kAlways, A::kFill, S::kRepairing},
    {S::kRepairing, E::kSlotLost, G::kAlways, A::kFill, S::kRepairing},
    {S::kRepairing, E::kCapacityGained, G::kAlways, A::kFill, S::kRepairing},
    {S::kRepairing, E::kSettled, G::kAllBound, A::kDisarm, S::kRunning},
    {S::kRepairing, E::kSettled, G::kNotStarted, A::kRefill, S::kNew},
    {S::kRepairing, E::kTimeout, G::kAlways, A::kReleaseVacant, S::kRepairing},
    {S::kRepairing, E::kFinished, G::kAllFinished, A::kDisarm, S::kDone},
    {S::kRepairing, E::kFinished, G::kAllBound, A::kDisarm, S::kRunning},

    {S::kBlocked, E::kCapacityGained, G::kAlways, A::kSolve, S::kNew},

    {S::kReleased, E::kMembersChanged, G::kAlways, A::kSolve, S::kNew},
    {S::kReleased, E::kAsked, G::kAllAsked, A::kSolve, S::kNew},

    {S::kDone, E::kMembersChanged, G::kAllBound, A::kNothing, S::kDone},
    {S::kDone, E::kMembersChanged, G::kNotStarted, A::kRefill, S::kNew},
    {S::kDone, E::kMembersChanged, G::kAlways, A::kFill, S::kRepairing},
};

}  // namespace

std::span<const LifeRow> LifeTable() { return kTable; }

std::string_view Name(GroupState state) {
  constexpr std::string_view kNames[] = {"New",       "Gathering", "Planned",  "Binding", "Running",
                                         "Repairing", "Blocked",   "Released", "Done"};
  return kNames[static_cast<int>(state)];
}

std::string_view Name(GroupEvent event) {
  constexpr std::string_view kNames[] = {
      "members changed", "plan found", "plan failed", "capacity gained", "slot lost", "bind called",
      "committed",       "settled",    "time-out",    "member finished", "asked for"};
  return kNames[static_cast<int>(event)];
}

std::string_view Name(GroupGuard guard) {
  constexpr std::string_view kNames[] = {"",
                                         "every open slot has a member",
                                         "a slot lacks its member",
                                         "started",
                                         "not started",
                                         "every slot is bound or finished",
                                         "every open slot's member is in bind",
                                         "every slot is finished",
                                         "every open slot's member was asked for"};
  return kNames[static_cast<int>(guard)];
}

std::string_view Name(GroupAction action) {
  constexpr std::string_view kNames[] = {"",
                                         "solve",
                                         "refill around what stands, else release and solve",
                                         "fill the slots of waiting members",
                                         "arm the gather time-out",
                                         "arm the start time-out",
                                         "disarm",
                                         "release every hold, answer held calls",
                                         "release the holds without a member",
                                         "check the calls, then commit"};
  return kNames[static_cast<int>(action)];
}

std::string LifeTableText() {
  std::string text = "| state | event | guard | action | next |\n|---|---|---|---|---|\n";
  for (const LifeRow& row : kTable) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", Name(row.state), Name(row.event),
                        Name(row.guard), Name(row.action), Name(row.next));
  }
  return text;
}

}  // namespace gangplan
