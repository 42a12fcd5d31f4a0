// What a Binding of ours tells of its plan, in the pod's annotations: public, and read by a
// restart. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "topology/labels.h"
#include "topology/pod_facts.h"

namespace gangplan {

struct PlannedPlace {
  int32_t rank = 0;    // within the pod set
  std::string domain;  // path of the node
  std::string plan;    // name of the group
  int32_t plans = 0;   // how many it has had
  size_t rung = 0;     // of its ladder, by which it was planned
};

LabelSet PlanAnnotations(const PlannedPlace& place);
// A pod that one of our plans has bound.
bool BoundByPlan(const PodFacts& pod);
// Its rank; nothing when it has none, or none of 0 .. count - 1.
std::optional<int32_t> PlannedRankOf(const PodFacts& pod, int32_t count);
// The rung of the ladder by which it was planned, below `count`; the first one where it tells none.
size_t PlannedRungOf(const PodFacts& pod, size_t count);
// The name of the group whose plan has bound it; empty: none.
std::string PlanNameOf(const PodFacts& pod);

}  // namespace gangplan
