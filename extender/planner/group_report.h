// One group as it stands, for people and programs: what /v1 and `gangplan explain` show. Pure data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "algorithms/result.h"
#include "extender/frontends/group_spec.h"
#include "extender/planner/advice.h"
#include "extender/planner/group_id.h"
#include "extender/planner/life.h"
#include "extender/planner/plan_shape.h"
#include "extender/planner/road.h"

namespace gangplan {

struct GroupReport {
  GroupId id = 0;
  GroupKey key;
  std::string name;
  int64_t created = 0;  // of its Job, else of its oldest pod; Unix seconds, 0: not told
  GroupState state = GroupState::kNew;
  Road road = Road::kNone;
  int32_t size = 0;
  int32_t least = 0;  // of one that may grow: how many start; 0: it may not, or nobody tells
  Origins origins;    // of size and ranks
  int32_t priority = 0;
  std::string place;   // pod set by pod set where they differ
  std::string spares;  // of a gang that wants spare nodes
  std::string engine;  // that places it; empty: no sound member has told what the group is
  std::string engine_why;
  struct PodSetReport {
    std::string name;
    int32_t size = 0;
    int32_t seen = 0;
    int32_t bound = 0;
    std::string place;
  };
  std::vector<PodSetReport> pod_sets;  // empty: only one, without a name
  int32_t seen = 0;
  int32_t in_bind = 0;
  int32_t bound = 0;
  Outcome outcome = Outcome::kPlaced;
  bool rungs_left = false;  // of its ladder: it will ask for less
  std::string reason;
  std::string evidence;          // many lines; empty for a group with a plan
  std::optional<Advice> advice;  // of one that waits, where it was asked for
  std::optional<absl::Time> deadline;
  // In the line for room; 0: it does not stand there.
  int64_t line_place = 0;
  int64_t line_length = 0;
  std::string line_first;                 // who is the first, where that is another one
  std::string reservation;                // what is kept for it, for people
  std::optional<absl::Time> expected_by;  // it has its room at the latest, where that is known
  int32_t nice = 0;                       // how far behind others of its priority it says to be
  std::string share;                      // of its namespace, while it waits and that counts
  struct SlotReport {
    int32_t rank = 0;  // within the pod set
    std::string pod;
    std::string domain;  // the node's path, or its name when it is not in the tree
    std::string node;
    std::string state;         // empty, held, posting, bound, finished
    std::string pod_set = {};  // empty: the only one, without a name
  };
  std::vector<SlotReport> slots;
  std::optional<PlanShape> shape;      // of the nodes in `slots`; nothing: there are none
  std::optional<PlanQuality> quality;  // of its plan, where that is known
  std::string in_topology;             // to whose nodes it goes, where there are several
  std::string topology;                // what its levels leave out of the cluster; empty: nothing
  std::vector<std::string> problems;   // pods that cannot be members, and why

  // It starts by no wait and no room as it is, as far as its outcome tells.
  bool never() const {
    return outcome == Outcome::kInvalid || (outcome == Outcome::kImpossible && !rungs_left);
  }
};

}  // namespace gangplan
