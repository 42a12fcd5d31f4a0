// A scheduler that does not offer the planned node: it is asked once more before it is believed.
#pragma once

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/planner_world.h"

namespace gangplan {

// What the pod, nominated to its planned node, is told in the second of two such attempts.
inline std::string RefuseTwice(PlannerWorld& world, const PodFacts& pod,
                               const std::vector<std::string>& offer) {
  const std::string first = world.Refusal(pod, offer);
  CHECK(first.ends_with("it is asked once more"));
  world.Pass(absl::Seconds(1));
  return world.Refusal(pod, offer);
}

}  // namespace gangplan
