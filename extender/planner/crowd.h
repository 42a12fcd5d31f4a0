// Tells when many pods wait by rejection, which makes the scheduler slow for everybody: as many as
// may (waiting.rejectMax). Once when it comes to that, and again each while that it stays so.
//
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "extender/cluster/requests.h"

namespace gangplan {

class Crowd {
 public:
  // 0: nobody is rejected, and nobody is told.
  explicit Crowd(int32_t most) : most_(most) {}

  void SetMost(int32_t most) { most_ = most; }
  // So many are rejected now. The Event that is due, about this instance itself.
  std::optional<EventNote> Look(absl::Time now, int32_t rejected);

 private:
  int32_t most_;
  absl::Time tell_from_ = absl::InfinitePast();
};

}  // namespace gangplan
