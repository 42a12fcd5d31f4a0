// Kueue's topology words as rules per level, pod set by pod set, and what they say of the pod sets
// of a group together. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "algorithms/request.h"
#include "extender/frontends/front_end.h"
#include "extender/frontends/group_spec.h"
#include "extender/frontends/kueue/words.h"
#include "topology/labels.h"
#include "topology/tree.h"

namespace gangplan {

struct KueueRules {
  LevelRules rules;
  std::string text;  // for people: "required rack, slices of 4 in one node"
};

// Whether the annotations ask for a topology in Kueue's words, of today or of its drafts.
bool HasKueueTopology(const LabelSet& annotations);

// The annotations that say where a pod set goes, and with which other one.
LabelSet KueueWords(const LabelSet& annotations);

// required L: hard pack at L; preferred L: soft pack at L; slices: factor at their level, of any
// domains; unconstrained: no rule. InvalidArgument: the annotation and what was expected of it, by
// Kueue's rules for one pod set of `count` pods; also for a level that `topology` lacks.
// REQUIRES: HasKueueTopology.
absl::StatusOr<KueueRules> ReadKueueRules(const LabelSet& annotations, int32_t count,
                                          const Topology& topology);

// `words` are of the leader or of the workers of a LeaderWorkerSet's replica, which Kueue takes for
// one pod set where they have one template: they go together where both say the same, and no name
// or offset of Kueue's tells them apart.
void TieReplica(LabelSet& words);

// What the pod sets of one group make of each other. The fault: "pod set leader: ...", the first
// rule of Kueue that they break together.
PodSetTies TieKueuePodSets(std::span<const PodSetSpec> pod_sets);

}  // namespace gangplan
