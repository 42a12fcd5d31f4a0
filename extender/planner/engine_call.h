// The engine as the planner calls it: a function, so that the service can time it.
// Stateless; any thread.
#pragma once

#include <functional>

#include "absl/time/time.h"
#include "algorithms/engine.h"

namespace gangplan {

// The engine behind every solve, see algorithms' Place; and how long it took, by a clock that is
// not ours.
struct Solved {
  PlacementResult result;
  absl::Duration took;
};
using Engine =
    std::function<Solved(const PlacementView& now, const std::function<PlacementView()>& empty,
                         const PlacementRequest& request, const Budget& budget)>;
// By no clock: it has taken no time.
inline Solved PlaceUntimed(const PlacementView& now, const std::function<PlacementView()>& empty,
                           const PlacementRequest& request, const Budget& budget) {
  return {Place(now, empty, request, budget), {}};
}

}  // namespace gangplan
