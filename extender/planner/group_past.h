// What a group that is read anew keeps of its past. Pure data.
//
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "extender/planner/plan_shape.h"

namespace gangplan {

// Since when it has been there without being whole, and whether it had a plan since then.
struct GroupWait {
  std::optional<absl::Time> from;  // nothing: it is whole, or over
  bool planned = false;
};

struct GroupPast {
  int32_t plans = 0;
  absl::Duration solver_time;
  std::optional<absl::Time> begun, whole;
  int32_t fruitless = 0, whole_size = 0;
  int32_t told_nice = 0;  // as people were told of it
  GroupWait wait;
  std::optional<PlanQuality> quality;
};

}  // namespace gangplan
