// Room of groups that hold it and have not begun: it gives way to groups of greater priority. Whose
// room that is, and how much a group may gain by it at the most, so that who gains nothing by what
// came free is not asked for it.
//
// Looked at once a pass over those who wait, as far as somebody asks; what is taken meanwhile is
// added, and once more after a gain. So what it says is never less than there is.
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "extender/planner/group_book.h"
#include "extender/planner/ledger.h"

namespace gangplan {

class LesserRoom {
 public:
  LesserRoom(const Ledger& ledger, const GroupBook& groups) : ledger_(ledger), groups_(groups) {}

  // A pass begins. Adds what it looks at to `work`, as all below.
  void Renew(int64_t& work);
  // The group has taken room, or its room may give way by now.
  void Note(const Group& group);
  // Some of it may give way to a group of this priority.
  bool YieldsTo(int32_t priority) const { return least_ && priority > *least_; }
  // The groups of the topology that give way to one of this priority: the least priority first,
  // then the youngest, until they have kMaxLiftedSlots, and a larger one of these, never beyond
  // kMaxLiftedInAll.
  std::vector<GroupId> Below(TopologyIndex topology, int32_t priority, int64_t& work) const;

  // How many more members of the shape might go to each domain of the level, were all of it gone;
  // no more where a domain is not named. Valid until something changes. O(nodes) at first, and when
  // something has come free since.
  using ByDomain = absl::flat_hash_map<int32_t, int64_t>;
  const ByDomain& MostOf(ShapeId shape, int level, int64_t& work);

 private:
  // That they hold room on, of one topology, as it was when last looked.
  struct Seen {
    std::set<NodeIndex> nodes;
    // Of the model then: domains are numbers of its tree.
    std::shared_ptr<const Tree> tree;
    uint64_t gain_version = 0;
    std::map<std::pair<ShapeId, int>, ByDomain> most = {};
  };

  Seen& LookAgain(TopologyIndex topology, int64_t& work);
  void AddNodes(GroupId group, Seen& seen) const;

  const Ledger& ledger_;
  const GroupBook& groups_;
  // The least priority of these groups, when last looked, or less.
  std::optional<int32_t> least_;
  std::map<TopologyIndex, Seen> seen_;  // of those that were looked at
};

}  // namespace gangplan
