// What of the cluster the levels in force leave out: a topology whose labels are on no node, or on
// some only, places nobody there, and no gang's verdict says why. For people: the log at start, and
// `explain`.
//
// Thread rule: any thread; takes turns of the planner, so never in one.
#pragma once

#include <string>

#include "extender/app/locked_planner.h"

namespace gangplan {

// "512 of 512 nodes lack the label LABEL (level block) and take no members: n1 for one, which has
// the labels of preset aws-3": by level from the top, each node by the first that it lacks; a
// preset only where most have no place. Empty: every node has its place, or no levels are known
// yet. O(nodes left out), beside the turns.
std::string TopologyGaps(LockedPlanner& planner);

}  // namespace gangplan
