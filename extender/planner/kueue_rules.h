// Kueue's topology words as rules per level, for a group of one pod set. Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "extender/planner/words.h"
#include "topology/labels.h"
#include "topology/tree.h"

namespace gangplan {

struct KueueRules {
  PlaceRules rules;
  std::string text;  // for people: "required rack, slices of 4 in one node"
};

// Whether the annotations ask for a topology in Kueue's words.
bool HasKueueTopology(const LabelSet& annotations);

// required L: hard pack at L; preferred L: soft pack at L; slices: factor at their level, of any
// domains; unconstrained: no rule. InvalidArgument: the annotation and what was expected of it, by
// Kueue's rules; also for a level that `topology` lacks, and for a group of pod sets, which is not
// supported yet. REQUIRES: HasKueueTopology.
absl::StatusOr<KueueRules> ReadKueueRules(const LabelSet& annotations, int32_t size,
                                          const Topology& topology);

}  // namespace gangplan
