// A small day of gangs on the demo's cluster, for whoever looks at the page: they come, most of
// them run for a while and end, some wait, and one that can never start is given up. What comes is
// the same for the same seed; when it starts is what the scheduler and Gangplan make of it.
//
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/time/time.h"
#include "extender/demo/demo_world.h"
#include "extender/demo/seeded.h"

namespace gangplan {

class DemoDay {
 public:
  // The world outlives the day, and has been started.
  DemoDay(DemoWorld& world, uint64_t seed);

  // Does what is due.
  void Step(absl::Time now);

  int32_t came() const { return came_; }    // gangs so far
  int32_t ended() const { return ended_; }  // of these, after they ran
  // The gang that came last. REQUIRES: came() > 0, and it is still there.
  const DemoGang& last() const { return visits_.back().gang; }

 private:
  enum class Stage { kWaits, kRuns, kOver };
  struct Visit {
    DemoGang gang;
    Stage stage = Stage::kWaits;
    absl::Duration lasts;
    absl::Time until;  // of the stage: it is given up, has run, is deleted
  };

  void Come(absl::Time now);
  bool Goes(Visit& visit, absl::Time now);

  DemoWorld& world_;
  Seeded seeded_;
  std::vector<Visit> visits_;
  absl::Time next_;
  int32_t came_ = 0;
  int32_t ended_ = 0;
};

// Steps until `wait`, which waits for so long, returns false.
void LiveDay(DemoWorld& world, uint64_t seed, const std::function<bool(absl::Duration)>& wait);

}  // namespace gangplan
