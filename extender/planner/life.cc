#include "extender/planner/life.h"

#include "fmt/format.h"

namespace gangplan {
namespace {

using S = GroupState;
using E = GroupEvent;
using G = GroupGuard;
using A = GroupAction;

constexpr LifeRow kTable[] = {
    {S::kNew, E::kMembersChanged, G::kNoneLive, A::kGiveUp, S::kDone},
    {S::kNew, E::kMembersChanged, G::kAlways, A::kSolve, S::kNew},
    {S::kNew, E::kCapacityGained, G::kAlways, A::kSolve, S::kNew},
    {S::kNew, E::kPlanFound, G::kAllBound, A::kDisarm, S::kRunning},
    {S::kNew, E::kPlanFound, G::kStarted, A::kArmRepair, S::kBinding},
    {S::kNew, E::kPlanFound, G::kComplete, A::kArmStart, S::kPlanned},
    {S::kNew, E::kPlanFound, G::kAlways, A::kArmGather, S::kGathering},
    {S::kNew, E::kPlanFailed, G::kStarted, A::kArmRepair, S::kBinding},
    {S::kNew, E::kPlanFailed, G::kAlways, A::kDisarm, S::kBlocked},
    {S::kNew, E::kTimeout, G::kStarted, A::kGiveUp, S::kNew},
    {S::kNew, E::kTimeout, G::kAlways, A::kRelease, S::kReleased},

    {S::kGathering, E::kMembersChanged, G::kNoneLive, A::kGiveUp, S::kDone},
    {S::kGathering, E::kMembersChanged, G::kUnplanned, A::kSolve, S::kNew},
    {S::kGathering, E::kMembersChanged, G::kAllBound, A::kDisarm, S::kRunning},
    {S::kGathering, E::kMembersChanged, G::kStarted, A::kSolve, S::kBinding},
    {S::kGathering, E::kMembersChanged, G::kComplete, A::kArmStart, S::kPlanned},
    {S::kGathering, E::kMembersChanged, G::kProgress, A::kArmGather, S::kGathering},
    {S::kGathering, E::kSlotLost, G::kAlways, A::kSolve, S::kGathering},
    {S::kGathering, E::kPlanFailed, G::kAlways, A::kDisarm, S::kBlocked},
    {S::kGathering, E::kCommitted, G::kAlways, A::kArmRepair, S::kBinding},
    {S::kGathering, E::kTimeout, G::kAlways, A::kRelease, S::kReleased},

    {S::kPlanned, E::kMembersChanged, G::kNoneLive, A::kGiveUp, S::kDone},
    {S::kPlanned, E::kMembersChanged, G::kUnplanned, A::kSolve, S::kNew},
    {S::kPlanned, E::kMembersChanged, G::kAllBound, A::kDisarm, S::kRunning},
    {S::kPlanned, E::kMembersChanged, G::kStarted, A::kSolve, S::kBinding},
    {S::kPlanned, E::kMembersChanged, G::kIncomplete, A::kArmGather, S::kGathering},
    {S::kPlanned, E::kSlotLost, G::kAlways, A::kSolve, S::kPlanned},
    {S::kPlanned, E::kPlanFailed, G::kAlways, A::kDisarm, S::kBlocked},
    {S::kPlanned, E::kCalled, G::kAllCalled, A::kAskCommit, S::kPlanned},
    {S::kPlanned, E::kCommitted, G::kAlways, A::kArmRepair, S::kBinding},
    {S::kPlanned, E::kTimeout, G::kAlways, A::kRelease, S::kReleased},

    {S::kBinding, E::kSettled, G::kAllBound, A::kDisarm, S::kRunning},
    {S::kBinding, E::kSettled, G::kNoneLive, A::kGiveUp, S::kDone},
    {S::kBinding, E::kSettled, G::kFruitless, A::kRelease, S::kReleased},
    {S::kBinding, E::kSettled, G::kNotStarted, A::kSolve, S::kNew},
    {S::kBinding, E::kSettled, G::kProgress, A::kArmRepair, S::kBinding},
    {S::kBinding, E::kMembersChanged, G::kNotStarted, A::kSolve, S::kNew},
    {S::kBinding, E::kMembersChanged, G::kAllBound, A::kDisarm, S::kRunning},
    {S::kBinding, E::kMembersChanged, G::kNoneLive, A::kGiveUp, S::kDone},
    {S::kBinding, E::kMembersChanged, G::kAlways, A::kSolve, S::kBinding},
    {S::kBinding, E::kSlotLost, G::kAlways, A::kSolve, S::kBinding},
    {S::kBinding, E::kCapacityGained, G::kAlways, A::kSolve, S::kBinding},
    {S::kBinding, E::kAsked, G::kWants, A::kSolve, S::kBinding},
    {S::kBinding, E::kCalled, G::kAllCalled, A::kAskCommit, S::kBinding},
    {S::kBinding, E::kTimeout, G::kAlways, A::kGiveUp, S::kBinding},
    {S::kBinding, E::kFinished, G::kAllFinished, A::kDisarm, S::kDone},
    {S::kBinding, E::kFinished, G::kAllBound, A::kDisarm, S::kRunning},
    {S::kBinding, E::kFinished, G::kNoneLive, A::kGiveUp, S::kDone},

    {S::kRunning, E::kMembersChanged, G::kAllBound, A::kNothing, S::kRunning},
    {S::kRunning, E::kMembersChanged, G::kNotStarted, A::kSolve, S::kNew},
    {S::kRunning, E::kMembersChanged, G::kNoneLive, A::kGiveUp, S::kDone},
    {S::kRunning, E::kMembersChanged, G::kAlways, A::kSolve, S::kRepairing},
    {S::kRunning, E::kFinished, G::kAllFinished, A::kDisarm, S::kDone},
    {S::kRunning, E::kFinished, G::kNoneLive, A::kGiveUp, S::kDone},

    {S::kRepairing, E::kMembersChanged, G::kAllBound, A::kDisarm, S::kRunning},
    {S::kRepairing, E::kMembersChanged, G::kNotStarted, A::kSolve, S::kNew},
    {S::kRepairing, E::kMembersChanged, G::kNoneLive, A::kGiveUp, S::kDone},
    {S::kRepairing, E::kMembersChanged, G::kAlways, A::kSolve, S::kRepairing},
    {S::kRepairing, E::kSlotLost, G::kAlways, A::kSolve, S::kRepairing},
    {S::kRepairing, E::kCapacityGained, G::kAlways, A::kSolve, S::kRepairing},
    {S::kRepairing, E::kAsked, G::kWants, A::kSolve, S::kRepairing},
    {S::kRepairing, E::kSettled, G::kAllBound, A::kDisarm, S::kRunning},
    {S::kRepairing, E::kSettled, G::kNotStarted, A::kSolve, S::kNew},
    {S::kRepairing, E::kSettled, G::kProgress, A::kArmRepair, S::kRepairing},
    {S::kRepairing, E::kCalled, G::kAllCalled, A::kAskCommit, S::kRepairing},
    {S::kRepairing, E::kTimeout, G::kAlways, A::kGiveUp, S::kRepairing},
    {S::kRepairing, E::kFinished, G::kAllFinished, A::kDisarm, S::kDone},
    {S::kRepairing, E::kFinished, G::kAllBound, A::kDisarm, S::kRunning},
    {S::kRepairing, E::kFinished, G::kNoneLive, A::kGiveUp, S::kDone},

    {S::kBlocked, E::kCapacityGained, G::kAlways, A::kSolve, S::kNew},
    {S::kBlocked, E::kMembersChanged, G::kNoneLive, A::kGiveUp, S::kDone},
    {S::kBlocked, E::kMembersChanged, G::kStarted, A::kSolve, S::kNew},

    {S::kReleased, E::kMembersChanged, G::kNoneLive, A::kGiveUp, S::kDone},
    {S::kReleased, E::kMembersChanged, G::kAlways, A::kSolve, S::kNew},
    {S::kReleased, E::kAsked, G::kAllAsked, A::kSolve, S::kNew},

    {S::kDone, E::kMembersChanged, G::kNoneLive, A::kNothing, S::kDone},
    {S::kDone, E::kMembersChanged, G::kAllBound, A::kDisarm, S::kRunning},
    {S::kDone, E::kMembersChanged, G::kNotStarted, A::kSolve, S::kNew},
    {S::kDone, E::kMembersChanged, G::kAlways, A::kSolve, S::kRepairing},
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
                                         "every member was asked for",
                                         "every member that is left has finished",
                                         "more members than before",
                                         "a member has no node",
                                         "not started, fruitless more than once",
                                         "it has no plan any more"};
  return kNames[static_cast<int>(guard)];
}

std::string_view Name(GroupAction action) {
  constexpr std::string_view kNames[] = {"",
                                         "queue for a plan",
                                         "arm the gather time-out",
                                         "arm the start time-out",
                                         "arm the repair time-out",
                                         "disarm",
                                         "release every hold, answer held calls",
                                         "give back what is not on its way",
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
