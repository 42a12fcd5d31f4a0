// The rank map, the value of gangplan.io/ranks: how the ranks of a gang lie on the levels, in
// nested factors from the innermost.
//
//   "tp=8 node; pp=4 rack; dp block"    each 8 consecutive ranks in one node, each 4 of these in
//                                       one rack, and all of them in one block
//
// Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "extender/frontends/group_spec.h"
#include "extender/frontends/leader_worker.h"
#include "topology/tree.h"

namespace gangplan {

struct RankUnit {
  std::string name;    // for people
  size_t level = 0;    // higher than that of the unit before
  int32_t ranks = 0;   // consecutive ones; a multiple of the unit before. 0: all that there are
  bool alone = false;  // ... and no other ones in their domain, as a sub-group of a LeaderWorkerSet
  friend bool operator==(const RankUnit&, const RankUnit&) = default;
};

// One unit at least, from the innermost. InvalidArgument: `gangplan.io/ranks: ...` with the part
// and what was expected.
absl::StatusOr<std::vector<RankUnit>> ParseRanks(std::string_view text, const Topology& topology);

// Adds the sub-groups of a replica of so many members, the leader the first of them, to the units
// of its rank map, which may have none. InvalidArgument: `SUB-GROUPS' KEY: ...`, where the first of
// them is larger than the others, or they do not nest with the units.
absl::Status AddSubGroups(const SubGroups& groups, int32_t members, const Topology& topology,
                          std::vector<RankUnit>& units);

// Adds the units to the rules of every rung. InvalidArgument: the part that contradicts what a
// rung, also a later one, says of the same level, or of one above a unit of all ranks.
absl::Status AddRanks(const std::vector<RankUnit>& units, const Topology& topology,
                      std::vector<Rung>& ladder);

}  // namespace gangplan
