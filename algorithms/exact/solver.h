// The best placement of a question whose answer exists, exactly.
//
//   block-1   rack-1: n1 4  n2 4  n3 1    rack-2: n4 2  n5 2  n6 2  n7 2
//   block-2   rack-3: n8 4  n9 2  n10 3
//   8 members, soft packs: one block, one rack, two nodes: 4 on n1, 4 on n2
//   with rack=spread: one block, racks of 4 and 4, three nodes: 4 on n1, 2 on n4, 2 on n5
//
// The goal is lexicographic and adds up over domains, so the best placement of k members in a
// domain is the best split of k over its children, first by their level alone, then by what is best
// inside of them. A split that is best by its level deals out counts that are known beforehand
// (BestSplit), so only these are asked of the children: who takes which is a small assignment.
// Children that are not alike are added one by one: a table of what is best by the level says which
// of their counts can be part of a best split, and only those are asked of them.
//
// Ties: of placements that are equally good the larger counts go, at the highest level where they
// differ, to the domains with the least room (pack) or the most (spread), then to the first by
// path.
//
// Cost: a step a child asked, a child and state of an assignment, and an entry of a table. Thread
// rule: one call at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/exact/field.h"
#include "algorithms/exact/key.h"

namespace gangplan::exact {

// Of keys, floors, splits and kinds of hosts that the search keeps: beyond it is as if the steps
// had ended.
inline constexpr int64_t kMostKeptBytes = int64_t{256} << 20;

// Members on one leaf, those that stand and those of its load included.
struct LeafMembers {
  int32_t leaf = 0;
  int32_t members = 0;
  int32_t load = 0;
  friend bool operator==(const LeafMembers&, const LeafMembers&) = default;
};

struct Solution {
  std::vector<LeafMembers> leaves;  // by leaf; empty where the question ends above the leaves
  std::vector<int64_t> costs;       // by level, down to the last: less is better, the first counts
  bool best = true;                 // false: the steps ended; it keeps the rules and is not proven
};

// REQUIRES: the field's whole tree reaches the members asked for. `steps` is what may be used, and
// then what is left; none is where more than these bytes would be kept. Nothing: the steps ended,
// and with loads beside to find any placement would take more than is given to that.
std::optional<Solution> Solve(Field& field, int64_t& steps,
                              int64_t most_kept_bytes = kMostKeptBytes);

}  // namespace gangplan::exact
