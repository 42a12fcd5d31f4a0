// Room shared by namespaces (queue.fairness: namespace): of gangs of one rank those come first
// whose namespace has least. Its share is that of the resource of which it has the greatest part of
// the cluster (dominant resource fairness: Ghodsi et al., NSDI 2011); a gang counts what its
// namespace has and what waits of that before it in its topology (start tags: Goyal, Vin and Cheng,
// SIGCOMM 1996), so that namespaces take turns also while nothing ends.
//
// What a namespace has is the room of its gangs, held or bound; pods of no gang are not counted.
// What waits are gangs without room that might have some, by the pods of them that are there, or
// are made when they have room: not those that somebody holds back, nor those that could never
// stand. A gang whose room was given back, or whose owner wants more than its pods ask for, keeps
// its place and pushes nobody behind.
//
// Shares are counted anew once a second at most, when something has changed: O(groups log groups).
// Invariant: a gang that waits has the share of the last count, or came later and is behind all of
// its namespace. Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/group_book.h"
#include "extender/planner/ledger.h"
#include "topology/base/text_map.h"
#include "topology/model_ids.h"
#include "topology/resources.h"

namespace gangplan {

class FairShares {
 public:
  FairShares(bool shares, const Ledger& ledger, const GroupBook& groups)
      : shares_(shares), ledger_(ledger), groups_(groups) {}

  void SetShares(bool shares);
  bool on() const { return shares_; }
  // In millionths of the cluster, and 1; 0: nothing is shared. A gang that is not known yet stands
  // behind all others of its namespace from now on.
  int64_t Of(const Group& group);
  void Forget(GroupId group) { shares_of_.erase(group); }
  // Somebody came, went, has room or gave it back.
  void Note() { changed_ = true; }
  // Counts anew where that is due. Gangs of which the share is another one, ascending.
  std::vector<GroupId> Count(absl::Time now);
  // "namespace ml has 12.5 % of nvidia.com/gpu"; empty: nothing is shared.
  std::string Text(const Group& group) const;

 private:
  struct Tenant {
    ResourceList has;
    std::vector<const Group*> waiting;
  };
  // The gangs of a namespace that wait for room in one topology.
  struct Row {
    int64_t behind = 1;  // the share of the next gang that comes
    ResourceList with;   // what that counts
  };
  struct Known {
    Ledger::Share has;
    ResourceList room;
    std::map<TopologyIndex, Row> rows;
  };

  Row& RowOf(Known& known, const Group& group) const;
  void CountOne(const std::string& ns, Tenant& tenant, std::map<GroupId, int64_t>& counted);

  bool shares_;
  const Ledger& ledger_;
  const GroupBook& groups_;
  TextMap<Known> known_;  // by namespace
  std::map<GroupId, int64_t> shares_of_;
  bool changed_ = true;
  absl::Time again_ = absl::InfinitePast();
};

}  // namespace gangplan
