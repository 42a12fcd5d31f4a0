// What of a cluster, as a planner knows it, is not as somebody wants it: levels, domains, pods with
// words. The same for a saved cluster and a running Gangplan.
//
// Any thread; short turns of the planner, whatever the size.
#pragma once

#include <vector>

#include "config/settings.h"
#include "extender/app/cluster_signs.h"
#include "extender/app/finding.h"
#include "extender/app/locked_planner.h"

namespace gangplan {

// Once all lists were told.
void CheckCluster(const std::vector<TopologySettings>& topologies, LockedPlanner& planner,
                  const ClusterSigns& signs, Findings& findings);

// Of pods with words of ours: those that are members of no gang as they are, also where enough
// others are. Once the planner rests.
void CheckMembers(LockedPlanner& planner, Findings& findings);

// Of gangs: those whose members contradict each other or can never start. Once the planner rests.
void CheckGangs(LockedPlanner& planner, Findings& findings);

// Domains of one name under two parents, which are two domains: where most names of a level are
// such, or nearly all of one parent, they count within the parent, and are meant so.
void CheckDomains(const Tree& tree, Findings& findings);

}  // namespace gangplan
