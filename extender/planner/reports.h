// What the planner says of its groups, to people and programs. Reads only.
// Thread rule: the planner's.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/planner/group_report.h"
#include "extender/planner/planner_stats.h"
#include "extender/planner/plans.h"
#include "extender/planner/reservation_report.h"

namespace gangplan {

class Reports {
 public:
  // `nominate_from`: nodes from which on the scheduler offers only a sample; `verbs`: it calls us.
  Reports(const Books& books, int32_t nominate_from, bool verbs)
      : books_(books), nominate_from_(nominate_from), verbs_(verbs) {}

  PlannerStats Stats() const;
  // Without slots, pods and evidence; the groups after `after`, so many at most, in order of
  // arrival. O(groups told).
  std::vector<GroupReport> List(GroupId after, size_t most) const;
  // "namespace/name" of the group after `after` of which a pod of this name is a member, or which
  // has an owner of this name, where fewer than `most` members were looked at before; `after`: the
  // last group that was, 0 when those were all.
  std::string NameWith(std::string_view asked, AskedBy by, GroupId& after, int64_t most) const;
  // Without evidence. O(slots + members).
  GroupReport Describe(const Group& group) const;
  // The slots of a group that waits for room, or never has it; empty: it does not.
  std::vector<int32_t> WaitsWith(const Group& group) const;
  // The question whose answer is the evidence of a group that waits; null: there is none.
  std::shared_ptr<SolveTask> Question(const Group& group) const;
  // The Event that is due for the group.
  void Tell(Group& group, const OwnerRef& regarding) const;
  // That it has a plan, or all of it is bound.
  EventNote News(const Group& group, const OwnerRef& regarding, bool started) const;

 private:
  std::vector<std::pair<std::string_view, int64_t>> WithoutGroup() const;
  GroupReport Summary(const Group& group) const;
  void TellLine(const Group& group, GroupReport& report) const;
  void TellWaits(PlannerStats& stats) const;
  Road RoadOf(const Group& group) const;

  const Books books_;
  const int32_t nominate_from_;
  const bool verbs_;
};

}  // namespace gangplan
