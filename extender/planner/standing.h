// How a group stands, as those are told who describe groups by objects.
// Pure; thread rule: the planner's.
#pragma once

#include "extender/frontends/group_objects.h"
#include "extender/planner/group.h"
#include "extender/planner/placer.h"
#include "extender/planner/pod_book.h"
#include "extender/planner/rank_lists.h"
#include "extender/planner/results.h"

namespace gangplan {

ResultsMark MarkOf(const Group& group);
// By rank those that are bound, then those that have succeeded. Points into the books.
// REQUIRES: the facts of all of them are kept. O(slots + members).
GroupStanding StandingOf(const Group& group, const PodBook& pods, const Placer& placer,
                         const Tree& tree);
// For its rank lists: without pods while it has no plan, or a slot without its pod or its node; of
// one that pods join as they come, those that have both. O(slots).
RankLists::Gang RanksOf(const Group& group, const PodBook& pods, const Placer& placer);

}  // namespace gangplan
