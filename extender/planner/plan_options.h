// What is decided of plans for all groups. Plain data.
//
// Thread rule: the planner's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"
#include "extender/planner/limits.h"

namespace gangplan {

// Whether gangs that fit may pass one that stands before them in the line (room_line.h).
enum class QueueMode : uint8_t {
  kGreedy,    // whoever fits goes
  kStrict,    // nobody passes
  kBackfill,  // who does not delay the first one passes
};

struct PlanOptions {
  absl::Duration gather_timeout;
  // Share of a gang's members, in percent, that must be there before room is held for all.
  int32_t hold_from = 0;
  bool start_at_first_member = false;
  bool verbs = true;           // the scheduler asks us where pods may go
  bool preempts = false;       // groups that run give way to those of greater priority
  bool preempts_pods = false;  // so do pods of no group
  QueueMode queue_mode = QueueMode::kGreedy;
  bool fair = false;  // namespaces share room (fair_shares.h)
  int64_t round_work = kRoundWork;
};

}  // namespace gangplan
