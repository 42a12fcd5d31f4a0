// Why a request of the `exact` engine has no placement: which rule fails first, what comes nearest,
// and the smallest change with which it would be placed.
//
//   racks of nodes for 4 + 4, 3 + 1 and 2; 13 members by node=pack min=3: there is room for 14, so
//   it is the rule of the nodes that fails; nearest are 11, as 4, 4 and 3; with node=pack min=2 all
//   13 have a placement
//
// Made on demand by solving again; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/engine.h"
#include "algorithms/exact/solver.h"

namespace gangplan::exact {

// One word of one rule made weaker, or all words of one rule left out; it was tried and is enough.
struct Weaker {
  int level = 0;
  LevelRule rule;    // as it would have to be
  int pod_set = -1;  // whose own rule it is; -1: that of all
  friend bool operator==(const Weaker&, const Weaker&) = default;
};

struct WhyNot {
  // The rules are taken from the top down: the first level with whose rule there is no placement,
  // whatever is asked further down; then the own rules of one pod set after the other. -1: not even
  // without rules.
  int failing_level = -1;
  int failing_set = -1;              // whose own rule that is; -1: that of all
  int32_t members = 0;               // asked for
  int32_t most = 0;                  // the most members with a placement by all rules
  std::vector<LeafMembers> nearest;  // a placement of that many; empty when it is not known
  std::optional<Weaker> weaker;      // nothing: no one rule is enough
};

// REQUIRES: ExactProblem is empty, and no placement exists on `view`. `counted`: the room of
// members that stand is a part of the counts (the empty cluster).
WhyNot Why(const PlacementView& view, const PlacementRequest& request, bool counted,
           const Budget& budget);

}  // namespace gangplan::exact
