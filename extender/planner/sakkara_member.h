// Membership in Sakkara's words: the pod's label names a group, which a ConfigMap describes. Pure;
// any thread.
#pragma once

#include "extender/planner/membership.h"
#include "topology/pod_facts.h"

namespace gangplan {

// REQUIRES: the pod has the label kSakkaraPodGroup. Never foreign, never waits for its owner. A
// group without an object is described by the pod's own labels, if they tell its size.
Membership FindSakkaraMembership(const PodFacts& pod, const MembershipOptions& options);

}  // namespace gangplan
