// The required node affinity that a pod gets when its gate is taken away, and how it is told from
// the user's own. While a pod is gated each of its own terms may only grow, and none may come: what
// is added stands at the end of each. Pure functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "extender/planner/pin.h"
#include "topology/pod_facts.h"

namespace gangplan {

// As PinTo chooses the nodes: by name where the user's own words have no terms, else by their host
// names. REQUIRES: as PinTo.
Pin PinGated(const Model& model, const PinRequest& request);

// To this one alone, for where nobody asks us where a pod may go. REQUIRES: `own` allows it.
Pin PinToOne(const NodeFilter& own, const std::string& node);

// A release of ours gave it its nodes.
bool WasReleased(const PodFacts& pod);
// The terms that it shares with its gang, where it waits released to several nodes; else null.
const std::vector<NodeSelectorTerm>* SharedPinOf(const PodFacts& pod);
// The one that it was released to; empty: none, or several.
std::string OwnNodeOf(const PodFacts& pod);

// What its user asks for.
NodeFilter OwnFilterOf(const PodFacts& pod);

}  // namespace gangplan
