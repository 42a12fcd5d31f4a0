// What the planner counts of itself, for metrics, and how a group may be asked for. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/life.h"
#include "extender/planner/reservation_report.h"
#include "extender/planner/road.h"

namespace gangplan {

struct PlannerStats {
  int64_t groups[kGroupStates] = {};
  int64_t roads[kRoads] = {};  // groups by Road
  int64_t held_slots = 0;
  int64_t held_calls = 0;
  int64_t rejected_pods = 0;
  int64_t faulty_pods = 0;
  // Pods of no group by why, in a fixed order of all reasons.
  std::vector<std::pair<std::string_view, int64_t>> without_group;
  int64_t refused_claims = 0;       // since start
  int64_t refused_suspensions = 0;  // likewise
  int64_t evicted_groups = 0;       // ... that gave way, or were about to
  int64_t templates_read = 0;       // ... of owners that wait suspended
  int64_t solves[4] = {};           // by Outcome, since start
  ReservationCounts reservations;
  // Since when the longest one waits for room alone: where all of it would fit if it might go
  // anywhere, and where not.
  std::optional<absl::Time> waits_with_room, waits_without;
};

// By whom a group is asked for that has another name.
enum class AskedBy : uint8_t {
  kPod,    // a member
  kOwner,  // of the pod that came first
};

}  // namespace gangplan
