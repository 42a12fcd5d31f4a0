// A request of one shape as a question of this engine, and its answer.
//
//   a rack of nodes for 3, 2 and 2 members, soft packs: 4 members are 3 and 1 on the first two
//   nodes, costs by level: one rack with 4, two nodes with 3 and 1; 8 members have no solution, and
//   most is 7
//   node=pack min=3: 4 members have no solution, and most is 3
//
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/exact/field.h"
#include "algorithms/exact/solver.h"
#include "algorithms/request.h"

namespace gangplan::exact {

// Members of all pod sets, those that stand included.
int32_t AllMembers(const PlacementRequest& request);

struct Answer {
  std::optional<Solution> solution;
  // With a solution that is not proven: no placement costs less, see LevelBounds.
  std::vector<int64_t> bounds;
  int32_t most = 0;  // without a solution: the most members up to those asked for that have one
  // Not answered: what the domains can take is not known within the steps, those of the first few
  // milliseconds always given; with loads within half of them, or no placement was found.
  bool cut = false;
};

// Places `members` by `terms` of the levels down to the last that they are given for; those below
// have no rule and no goal. `special` and `loads` as Question has them.
Answer AskOne(const Tree& tree, const FitCounts& counts, std::span<const SpecialLeaf> special,
              std::span<const Terms> terms, int32_t members, int64_t& steps,
              const Loads* loads = nullptr);

}  // namespace gangplan::exact
