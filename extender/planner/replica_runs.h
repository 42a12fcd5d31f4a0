// Which run of a LeaderWorkerSet's replica a pod is of. Their names, labels and templates are the
// same when a set is made again, or a leader is deleted; what differs is who made them. A run has
// one leader, known by its own UID: its name is that of the last one, so it comes when that is
// gone. Its workers are made by one StatefulSet, of whose next one the first pod is of the next run
// where the leader is not there any more.
//
// The first run of a replica has the key that its pods tell; each later one a number behind that,
// for as long as pods of several are there. So what is left of one run and what comes of the next
// are two gangs, and neither starts as a part of the other.
//
// After a restart of Gangplan runs are told from what is bound: a leader that waits, and was made
// later than members that run, begins the next one. What waits cannot be told apart then.
//
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "extender/planner/group_book.h"

namespace gangplan {

class ReplicaRuns {
 public:
  explicit ReplicaRuns(const GroupBook& groups) : groups_(groups) {}

  // The key of the pod's own run, which it begins where there is none; of a pod of another kind of
  // gang the key as it is. The pod is to join that group at once. O(log replicas), and O(runs) of
  // this one.
  GroupKey KeyOf(const GroupKey& told, const PodFacts& pod);
  // The run before the one with this key; null: there is none any more.
  const Group* Before(const GroupKey& told, const GroupKey& own) const;

 private:
  struct Run {
    int32_t number = 1;
    std::string leader;            // UID; empty: nobody has seen it
    std::set<std::string> makers;  // UIDs, of its workers' StatefulSet, or of several in a row
  };
  using Runs = std::vector<Run>;  // the newest one last

  // More than a few are nobody's doing by chance: the first ones are known again.
  static constexpr size_t kMaxMakersOfRun = 16;

  static GroupKey KeyOfRun(const GroupKey& told, const Run& run);
  static Run& Begin(Runs& runs);
  static bool IsLater(const Group* group, const PodFacts& pod);
  const Group* GroupOf(const GroupKey& told, const Run& run) const;
  Run& OfLeader(const GroupKey& told, Runs& runs, const PodFacts& pod);
  Run& OfWorker(const GroupKey& told, Runs& runs, const PodFacts& pod);
  void Forget(const GroupKey& told, Runs& runs) const;
  void ForgetOld();

  const GroupBook& groups_;
  std::map<GroupKey, Runs> runs_;  // by what pods tell
  size_t look_over_at_ = 0;
};

}  // namespace gangplan
