// Gangs that no repair makes whole: one that runs and of which members have lacked room for a
// while, beside those that run. By repair.onFailure it is evicted as a whole, so that it starts
// anew where all of it fits, and others have its room until then, as Kueue does when a replacement
// is not found in its time; or what it lacks may go anywhere, whatever its rules are, until it
// starts anew.
//
// Not one that only grows, or may; of which a pod has succeeded; that asks for less after a while;
// of whose pods some are made by nobody anew; not while so many nodes are not ready that it is no
// fault of these; not what a disruption budget is against. One gang after the other, since what one
// leaves may make the next one whole, and each so many times within an hour at the most: then it
// waits.
//
// A restart of Gangplan counts the time, and the times, anew, and knows of no gang that it was
// whole before it lost something.
//
// Thread rule: the planner's.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/books.h"
#include "extender/planner/evictions.h"
#include "extender/planner/failed_nodes.h"
#include "extender/planner/planner_options.h"

namespace gangplan {

class Restarts {
 public:
  Restarts(const RepairOptions& options, const Books& books, Plans& plans,
           const FailedNodes& failed_nodes, Evictions& evictions)
      : options_(options),
        books_(books),
        plans_(plans),
        failed_nodes_(failed_nodes),
        evictions_(evictions) {}

  // From now on. What was begun for another way of repair, and is not wanted any more, ends: gangs
  // that were relaxed have their rules again, and nobody is asked whether it may start anew.
  void SetOptions(absl::Time now, const RepairOptions& options);
  // Looks at all groups now and then. O(groups), and O(members) of each that is evicted.
  void Tick(absl::Time now);

 private:
  // What was done to one gang.
  struct Past {
    std::vector<absl::Time> times;  // within the hour, the first one first
    bool told = false;              // that it is not done again
  };

  bool Lacks(const Group& group) const;
  bool HasGrown(const Group& group) const;
  void EndQuestion(absl::Time now);
  void LookForLacking(absl::Time now);
  const Group* Next(absl::Time now) const;
  void Restart(absl::Time now, const Group& group);
  void NotePast(absl::Time now);
  void Unrelax(GroupId id);
  void Relax(absl::Time now);
  void Tell(const Group& group, std::string_view reason, std::string note) const;

  RepairOptions options_;
  const Books books_;
  Plans& plans_;
  const FailedNodes& failed_nodes_;
  Evictions& evictions_;
  absl::Time look_ = absl::InfinitePast();
  GroupId asked_ = 0;  // whether it may go; 0: nobody
  absl::Time asked_until_;
  std::string last_ns_;                            // of the last one
  std::map<GroupId, absl::Time> lacking_;          // since when
  std::map<GroupId, std::vector<int32_t>> whole_;  // members of each set, when all ran
  std::map<std::string, Past> past_;               // by GroupKey::LastingName
  std::set<GroupId> relaxed_;
};

}  // namespace gangplan
