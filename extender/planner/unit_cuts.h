// Of whom more may join and whose rules count ranks: in which turn its slots are wanted, and how
// many at once, so that no unit is left in part. Units of the largest kind are looked at, of which
// the others are parts.
//
// Looks at these when it is made, and not at it later. Thread rule: the planner's.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "extender/planner/member.h"
#include "extender/planner/pod_sets.h"

namespace gangplan {

class UnitCuts {
 public:
  // Of a group's pod sets, and its slots; O(slots).
  UnitCuts(const PodSets& sets, const std::vector<Slot>& slots);

  // Its rules count ranks; else nothing is to be asked of this.
  bool counts() const { return size_ > 0; }
  // Slots that are wanted, those first whose unit has members that stand: one that lacks members
  // would be left in part without them. O(n log n).
  std::vector<int32_t> InTurn(std::vector<int32_t> wanted) const;
  // After how many of them every unit that has members is whole; ascending. O(n log n).
  std::vector<int32_t> WholeAfter(const std::vector<int32_t>& in_turn) const;

 private:
  int32_t size_ = 0;                 // of a unit
  std::map<int32_t, int32_t> lack_;  // by unit that has members: how many others
};

}  // namespace gangplan
