// When the first in line fits, by the ends that are known: those of pods that tell how long they
// run, of gangs that have room and say so, and of whatever stops already. Where these are not
// enough: which gangs of unknown end are the fewest that have to go, so that their room is kept as
// they do. Makes the question that is asked on a copy (ends_question.h).
//
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/books.h"
#include "extender/planner/victim_search.h"

namespace gangplan {

class EndSearch {
 public:
  EndSearch(const Books& books, const VictimSearch& victims) : books_(books), victims_(victims) {}

  std::shared_ptr<SolveTask> Ask(absl::Time now, const Group& group,
                                 const std::vector<int32_t>& wanted, int64_t& work) const;
  // When a gang that holds room is gone, however late it starts within its time; 0: nobody knows.
  static int64_t EndOfHolds(absl::Time now, const Ledger& ledger, const Group& group);
  // When the last of those that run is gone; 0: none does, or nobody knows. O(slots).
  static int64_t LastEndOf(const Group& group);

 private:
  void AddForeign(absl::Time now, SolveTask& task, int64_t& work) const;
  void AddNamed(const Group& group, SolveTask& task) const;
  std::vector<const Group*> AddGroups(absl::Time now, const VictimSearch::Returning& returning,
                                      const VictimSearch::Promised& promised, SolveTask& task,
                                      int64_t& work) const;
  bool AddSlots(absl::Time now, const Group& group, const std::set<int32_t>& promised,
                SolveTask& task) const;
  void AddRoom(int64_t ends, NodeIndex node, const ResourceList& room, SolveTask& task) const;
  void AddSpares(const Group& group, SolveTask& task) const;
  void AddReturning(const Group& group, const VictimSearch::Returning& returning,
                    SolveTask& task) const;

  const Books books_;
  const VictimSearch& victims_;
};

}  // namespace gangplan
