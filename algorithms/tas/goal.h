// What is to be placed, in the units that domains are chosen by. Plain data.
#pragma once

#include <cstdint>

#include "algorithms/tas.h"
#include "algorithms/tas/state.h"

namespace gangplan::tas {

struct Goal {
  // Pods to place. Of a count that is no multiple of its slices the rest is a last slice in part,
  // for which there must be room as for a whole one; with kExact it is dropped, as Kueue does.
  int32_t pods = 0;
  int32_t slices = 0;      // slices to find room for (pods where there are no slices)
  int32_t slice_size = 1;  // pods of one
  int32_t leaders = 0;     // 0 or 1
  TasFill fill = TasFill::kBestFit;
  bool spread = true;    // over several domains when none holds all
  bool upwards = false;  // ... and only above the asked level
};

Goal MakeGoal(const TasRequest& request);

}  // namespace gangplan::tas
