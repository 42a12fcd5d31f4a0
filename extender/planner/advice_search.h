// What would start a gang that waits, and who holds the room that it waits for: makes the question
// that is asked on a copy (advice_question.h). Changes nothing, and asks for more than the planner
// ever does by itself: also of those who would not give way.
//
// Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "extender/planner/advice_question.h"
#include "extender/planner/books.h"
#include "extender/planner/victim_search.h"

namespace gangplan {

class AdviceSearch {
 public:
  explicit AdviceSearch(const Books& books) : books_(books) {}

  // Who waits for something else, too, starts by none of what is told.
  bool LacksRoomAlone(const Group& group) const;
  // REQUIRES: the group waits for room for these slots. O(nodes + slots of all groups).
  std::shared_ptr<AdviceQuestion> Ask(absl::Time now, const Group& group,
                                      const std::vector<int32_t>& wanted) const;

 private:
  void AddSingles(const std::vector<VictimSearch::Single>& singles, AdviceQuestion& question) const;
  bool MayStandOnNew(const Group& group, const PodSet& set) const;
  void AddHolders(absl::Time now, const Group& group, AdviceQuestion& question) const;
  void AddAlone(absl::Time now, Tree::Range leaves, const std::vector<int64_t>& of_gangs,
                AdviceQuestion& question) const;

  const Books books_;
};

}  // namespace gangplan
