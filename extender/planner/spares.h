// Spare nodes (gangplan.io/spares): so many more nodes of the domain that must hold the gang are
// kept while it runs, each with room for what it has on its fullest node. When it lacks a member
// they are room for that one; they are given back when a gang of greater priority waits for room
// in the same topology, and when the gang ends; one by one those that are of no use any more, since
// they are in another domain by now, or the gang may not go there (maintenance, say).
//
// What is kept stands in an account of the ledger of its own (SparesFor), has the priority of the
// gang, and counts in what its namespace holds for pods that are not there. Nothing of it outlives
// a restart: it is looked for again.
//
// Invariant: an account keeps room of a group that runs whole, or is given back within one round
// over the groups.
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/books.h"

namespace gangplan {

// How many its pods ask for: the most that one of its pod sets says.
int32_t SparesOf(const Group& group);

// "1 of 2 spare nodes are kept: b0/r0/n7"; empty: it wants none.
std::string SparesText(const Books& books, const Group& group);

class Spares {
 public:
  explicit Spares(const Books& books) : books_(books) {}

  // Looks at kSparesLooked groups, fewer where that is kSparesWork, and for nodes of one of them.
  // Returns the work that this took, as Model::work counts it. O(leaves of its domain).
  int64_t Tick(absl::Time now);

 private:
  // What of a gang one spare node has room for.
  struct Need {
    ResourceList room;
    int32_t pod_set = -1;  // whose nodes it may be of; -1: nothing of it stands anywhere
    int32_t leaf = -1;     // where that is
  };

  struct Kept {
    std::string ns;
    absl::Time look;  // whether its nodes are of use still
  };

  bool MayKeep(const Group& group) const;
  void Look(absl::Time now, const Group& group);
  void LeaveUseless(const Group& group);
  void GiveBack(GroupId group);
  void GoOn(absl::Time now);
  Need NeedOf(const Group& group);
  Tree::Range DomainOf(const Group& group, const Need& need) const;
  std::vector<int32_t> RefusedTo(const Group& group, const Need& need);
  std::vector<NodeIndex> Find(const Group& group, const Need& need, ShapeId shape, size_t most);
  void Fill(absl::Time now, const Group& group);

  const Books books_;
  std::map<GroupId, Kept> kept_;         // groups that keep something
  std::map<GroupId, absl::Time> again_;  // nodes are looked for no earlier
  GroupId last_ = 0;                     // the group that was looked at last
  // The greatest priority of who waits for room in a topology, of the round over the groups before,
  // and so far.
  std::map<TopologyIndex, int32_t> waits_, waits_next_;
  bool filled_ = false;  // in this turn
  int64_t work_ = 0;
};

}  // namespace gangplan
