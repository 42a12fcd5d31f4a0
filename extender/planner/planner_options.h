// What of the planner can be set, with what it is by default. Plain data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "algorithms/request.h"
#include "extender/planner/claim_limits.h"
#include "extender/planner/engine_call.h"
#include "extender/planner/limits.h"
#include "extender/planner/plan_options.h"
#include "topology/node_home.h"
#include "topology/node_scope.h"
#include "topology/pod_gates.h"

namespace gangplan {
class GroupObjects;

// What becomes of a gang that runs in part and has no room for the rest.
enum class OnFailure : uint8_t {
  kWait,
  kRestart,  // it is evicted as a whole, to start anew
  kRelax,    // the rest may go anywhere
};

// Gangs that run and have lost members.
struct RepairOptions {
  // Members on a node that is not ready for so long are evicted, to be made anew; zero: they are
  // left to Kubernetes.
  absl::Duration after = absl::ZeroDuration();
  // When members have lacked room for `timeout`.
  OnFailure on_failure = OnFailure::kWait;
  absl::Duration timeout = absl::Minutes(5);
  int32_t retries = 3;  // restarts of one gang within an hour
};

// Gangs of which not all pods are ready for so long, since they have started or since they were,
// are evicted and rest for a while; zero: that is nobody's concern here.
struct ReadyOptions {
  absl::Duration start = absl::ZeroDuration();
  absl::Duration repair = absl::ZeroDuration();
  bool on() const { return std::max(start, repair) > absl::ZeroDuration(); }
};

// What a gang may go by.
struct TopologyOptions {
  ScopedTopology topology = {};  // from CompleteTopology
  // Not empty: the levels come by OnTopology, under the name of `topology`, from what this calls
  // for people; nothing is planned before.
  std::string live = {};
  bool changes = false;         // the levels are known, and others may come by OnTopology
  bool levels_on_nodes = true;  // each level is a label that nodes really have
};

struct PlannerOptions {
  std::vector<TopologyOptions> topologies = {TopologyOptions()};  // one at least, each a name
  TopologyIndex default_topology = 0;  // of gangs that do not tell theirs
  bool suspended_jobs = true;          // Jobs that wait suspended are started, and suspended again
  bool kueue_places = true;            // where Kueue itself has placed pods is told (OnWorkload)
  absl::Duration check_patience = absl::Minutes(5);  // see SuspendedOptions
  absl::Duration check_reject_after = absl::Minutes(10);
  // Makes the reader of groups that objects describe, of which OnGroupObject tells; null: nobody
  // describes groups by objects.
  std::unique_ptr<GroupObjects> (*group_objects)() = nullptr;
  bool pod_group_status = true;  // of PodGroups of coscheduling, is told of their pods
  std::vector<std::string> scheduler_names = {"gangplan"};
  // The nodes that are ours, which alone are known. Not all: there are other pairs beside this one,
  // and what is for a scheduler that is none of ours is theirs.
  NodeScope nodes;
  std::vector<std::string> excluded_resources;  // see Model
  bool all_jobs = false;
  GateUse gates = GateUse::kNone;  // which of pods are taken away when there is room
  // Whether the scheduler asks. False: nobody calls the verbs.
  bool verbs = true;
  bool preempts = false;       // groups that run give way to those of greater priority
  bool preempts_pods = false;  // so do pods of no group
  RepairOptions repair;
  ReadyOptions ready;
  QueueMode queue_mode = QueueMode::kGreedy;
  bool fair = false;  // namespaces share room (fair_shares.h)
  bool start_at_first_member = false;
  absl::Duration gather_timeout = absl::Minutes(5);
  absl::Duration bind_timeout = absl::Minutes(10);  // the scheduler's, for the bind verb
  int32_t reject_max = 100;                // waiting pods answered by rejection; beyond: by Error
  int32_t nominate_from = 100;             // nodes from which on the scheduler offers only a sample
  int32_t max_held_calls = 0;              // calls that may be held at once; 0: no limit
  int32_t hold_from = 0;                   // percent of a gang that must be there; see PlanOptions
  int32_t vacant_share = 100;              // percent of the cluster; see VacantRoom
  ClaimLimits claims;                      // of a namespace
  std::optional<Strategy> engine_for_all;  // engines.strategy; nothing: the words choose
  TasOptions tas;                          // of groups that `tas` places
  bool preferred_affinity = false;         // of such groups, counts
  int64_t round_work = kRoundWork;         // what one input may cause beyond itself
  size_t at_once = kMembersAtOnce;         // members of large groups, in one turn
  // Nodes, times pods beside the main shape, beyond which mixed groups go to a copy at once.
  int32_t leaves_of_several = kMaxLeavesOfSeveral;
  Engine engine = PlaceUntimed;
};

}  // namespace gangplan
