// Gangs that take the room of lesser ones that run. Who has to go was found on a copy (Plans); from
// there on this class sees it through: the room of the plan that is free is kept at once, that of
// each pod that goes as it goes, so that nobody else gets it; the victims are asked about, all of
// them, and then evicted one after the other (Evictions); when the last pod in the way has stopped,
// the gang has its plan. Without that in its time what is kept is given back, and it is asked anew.
//
// What is kept stands in an account of its own in the ledger (KeptFor), and yields to pods of
// greater priority as holds do: then all of it goes.
//
// A restart forgets it; evictions that have begun go on, and the gang is asked again: who stops
// already counts as gone.
//
// Thread rule: the planner's.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/evictions.h"
#include "extender/planner/plans.h"

namespace gangplan {

class Preemptions {
 public:
  Preemptions(absl::Duration patience, const Books& books, Plans& plans, Evictions& evictions)
      : patience_(patience), books_(books), plans_(plans), evictions_(evictions) {}

  // Of each input: begins what was found, and goes on with the rest.
  void Follow(absl::Time now);
  // The pod may count nowhere any more: its room is kept where it is promised. Before anybody is
  // solved.
  void OnPodGone(std::string_view uid);

 private:
  // A pod on its nodes that is to go, and what it leaves.
  struct Awaited {
    NodeIndex node = kNoNode;
    RequestsRef requests;
  };
  // What the plan takes of a node, the first pod set that goes there, and where it stands.
  struct Site {
    int32_t pod_set = 0;
    ResourceList need;
    std::vector<std::string> units;
  };
  struct Preemption {
    Plan plan;
    std::map<NodeIndex, Site> sites;
    std::vector<GroupId> victims;  // that are not all on their way out yet, in their order
    std::set<GroupId> asked;       // of these, whether they may be evicted is not known yet
    bool refused = false;          // one of them may not
    bool telling = false;          // the first of them is evicted
    std::map<std::string, Awaited, std::less<>> awaited;  // by UID
    int32_t kept = 0;                                     // holds that were made
    absl::Time end;
    std::string why;  // the gang would wait if nobody gave way
  };

  bool MayBegin(const Group& group, const Plans::Victims& found) const;
  void Begin(absl::Time now, const Group& group, Plans::Victims found);
  std::vector<std::string> UnitsOf(NodeIndex node) const;
  bool Stands(const Group& group, const Preemption& preemption) const;
  using RoomByNode = std::map<NodeIndex, ResourceList>;
  RoomByNode AwaitPods(Preemption& preemption) const;
  bool KeepRest(const Group& group, Preemption& preemption, RoomByNode given);
  bool Keep(const Group& group, Preemption& preemption, NodeIndex node, const ResourceList& room);
  bool IsWanted(const Group* group, const Plan& plan) const;
  void TakeNews();
  bool GoOn(absl::Time now, GroupId id, Preemption& preemption);
  void End(GroupId id, Preemption& preemption);
  std::string WhyEvicted(const Group& victim, const Group& group,
                         const Preemption& preemption) const;
  std::string WhyAwaits(const Group& group, const Preemption& preemption) const;

  const absl::Duration patience_;
  const Books books_;
  Plans& plans_;
  Evictions& evictions_;
  std::map<GroupId, Preemption> preemptions_;
  std::set<GroupId> lost_;  // accounts that have lost room, in this input
};

}  // namespace gangplan
