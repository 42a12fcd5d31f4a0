// What is to be placed, in the units that domains are chosen by. Plain data.
#pragma once

#include <cstdint>

#include "algorithms/tas.h"
#include "algorithms/tas/state.h"

namespace gangplan::tas {

struct Goal {
  int32_t slices = 0;      // whole ones (pods where there are no slices)
  int32_t slice_size = 1;  // pods of one
  int32_t rest = 0;        // pods of the last, partial slice; kFixed only, else dropped
  int32_t rest_room = 0;   // room that it needs beside whole slices: a multiple of the next layer
  int32_t leaders = 0;     // 0 or 1
  bool best_fit = true;    // else least free capacity
  bool spread = true;      // over several domains when none holds all
  bool upwards = false;    // ... and only above the asked level

  int32_t pods() const { return slices * slice_size + rest; }
  // Slices to find room for.
  int32_t need() const { return slices + (rest > 0 ? 1 : 0); }
  // Slices that a domain alone has room for; a last partial one counts when it fits beside them.
  int32_t Room(const LevelView& view, int32_t index) const {
    if (leaders > 0) return view.SlicesWl(index);
    bool beside = rest > 0 && view.partial && view.partial[index] >= rest_room;
    return view.Slices(index) + (beside ? 1 : 0);
  }
};

Goal MakeGoal(const TasRequest& request);

}  // namespace gangplan::tas
