// What stands behind the planner's facade: its classes, in the order in which they know each other,
// and what the facade does with several of them at once. Internal to planner*.cc.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "extender/planner/crowd.h"
#include "extender/planner/evictions.h"
#include "extender/planner/failed_nodes.h"
#include "extender/planner/gates.h"
#include "extender/planner/ladders.h"
#include "extender/planner/left_nodes.h"
#include "extender/planner/named_reservations.h"
#include "extender/planner/planner.h"
#include "extender/planner/pod_group_pods.h"
#include "extender/planner/preemptions.h"
#include "extender/planner/rank_lists.h"
#include "extender/planner/ready_times.h"
#include "extender/planner/reports.h"
#include "extender/planner/reservations.h"
#include "extender/planner/restarts.h"
#include "extender/planner/spares.h"
#include "extender/planner/steering.h"
#include "extender/planner/suspended_owners.h"
#include "extender/planner/verbs.h"

namespace gangplan {

struct Planner::Rooms {
  explicit Rooms(PlannerOptions planner_options);

  // Ends every input: events, solves, and who is to be told of them.
  void Settle(absl::Time now) {
    FitKueue();
    maintenance.Follow(now);
    ladders.Follow(now);
    preemptions.Follow(now);
    for (Reservations& one : reservations) one.Follow(now);
    if (synced) named_reservations.Follow(now);
    roster.FollowSizes(now);
    plans.Settle(now);
    roster.NominateJoined();
    jobs.Follow(now);
    gates.Follow(now);
    ready_times.Follow(now);
    TellChanges(now);
  }
  Readiness Ready() const;
  std::string UnknownLevels() const;
  bool AllLevelsKnown() const;
  void StartRecovery(absl::Time now);
  void FinishRecovery(absl::Time now);
  void BeginToPlan(absl::Time now);
  bool HasMoved(NodeIndex index, const NodeFacts& node) const;
  bool HasShrunk(NodeIndex index, const NodeFacts& node) const;
  absl::Status PutOurs(const NodeFacts& node);
  absl::Status PutForeign(const NodeFacts& node);
  NodeIndex ForgetNode(std::string_view name);
  std::set<NodeIndex> MovedOf(const std::vector<NodeFacts>& nodes) const;
  std::set<GroupId> GroupsOnMoved(const std::set<NodeIndex>& moved) const;
  // planner_kueue.cc
  void FitKueue();
  void FitKueue(const NodeFacts& node);
  void FitKueue(std::string_view gone);
  void TakePod(absl::Time now, const PodFacts& pod);
  void ForgetPod(absl::Time now, std::string_view uid);
  void GiveBack(std::string_view uid);
  void TickKueue(absl::Time now);
  void Reread(absl::Time now, std::string_view ns, const std::vector<GroupKey>& keys);
  void ReadStale(absl::Time now);
  void TickTouched(absl::Time now);
  void WriteRankLists(absl::Time now);
  void TellSome();
  void TellChanges(absl::Time now);
  std::optional<OwnerRef> ToldFor(const Group& group) const;
  void Act(absl::Time now);
  void DropClosed(const std::vector<CallId>& calls);
  void Activate();
  void AskRefused();
  void SetSees(absl::Time now, bool sees);

  const PlannerOptions options;
  const std::unique_ptr<GroupObjects> objects;  // null: there are none
  Outbox outbox;
  Sight sight;
  Ledger ledger;
  GroupBook groups;
  PodBook pods;
  LeftGated left;
  OwnerBook owners;
  Lifecycle lifecycle;
  SolveQueue queue;
  BindDesk desk;
  Refusals refusals;
  Waker waker;
  VacantRoom vacant;
  Yielding yielding;
  RoomLines lines;
  FairShares shares;
  Maintenance maintenance;
  NamedRoom named;
  KueueRoom kueue{ledger, options.kueue_places};
  Placer placer;
  Results results;
  Nominations nominations;
  const Books books;
  Plans plans;
  Roster roster;
  SuspendedOwners jobs;
  Gates gates;
  Ladders ladders;
  Evictions evictions;
  KeptRoom kept;
  Preemptions preemptions;
  FailedNodes failed_nodes;
  Restarts restarts;
  ReadyTimes ready_times;
  std::vector<Reservations> reservations;  // by topology
  NamedReservations named_reservations;
  SchedulerVerbs verbs;
  Reports reports;
  Crowd crowd;
  RankLists rank_lists;
  PodGroupPods pod_groups;
  Steering steering;
  Spares spares;
  LeftNodes left_nodes;
  bool listed = false;
  std::vector<bool> levels_known;  // by topology
  bool synced = false;             // and all levels are known
  bool recovering = false;
  bool joining = false;      // the last part of it, in pieces
  bool pods_joined = false;  // the first half of that
  absl::Time recover_by = absl::InfiniteFuture();
  std::string topology_fault;
  std::optional<GroupId> activated;  // the last group that was, while there are more
  std::set<GroupId> to_tell;         // of which an Event may be due
  GroupId told_last = 0;             // the others come in turn after it
};

}  // namespace gangplan
