// What a rule asks of the domains of one level, in one form, and which rules contradict each other.
//
//   rack=pack!: parts 1; node=spread!: max 1; node=pack min=3 factor=2: a used node has 4 at least
//   rack=pack above node=pack min=3 factor=2 partitions=2: by those below min is 8, factor 2
//   rack=pack max=4 above node=pack min=5: the rules below put at least 5 members into one rack
//
// Pure functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/rank_units.h"
#include "algorithms/request.h"
#include "topology/tree.h"

namespace gangplan::exact {

inline constexpr int32_t kNoLimit = INT32_MAX;

// A used domain of the level has min..max members, a multiple of factor; a used parent uses exactly
// `parts` of its children (0: any number of them).
struct Terms {
  LevelRule::Kind kind = LevelRule::Kind::kPack;
  int32_t min = 1;
  int32_t max = kNoLimit;
  int32_t factor = 1;
  int32_t parts = 0;
  std::vector<UnitFloor> floors = {};  // domains that have more than `min` at least, ascending

  // What a used domain has at least, so many pods of it given. REQUIRES: no contradiction.
  int32_t least(int32_t pods = 0) const {
    return static_cast<int32_t>((int64_t{std::max(min, pods)} + factor - 1) / factor * factor);
  }
  // Beside `min`, by the members that stand in the domain. O(log floors).
  int32_t FloorOf(int32_t domain) const;
  // Every number of members is allowed in every domain with room for it.
  bool plain() const { return min == 1 && max == kNoLimit && factor == 1 && parts == 0; }
};

Terms TermsOf(const std::optional<LevelRule>& rule);
std::vector<Terms> TermsOf(const Tree& tree, const PlacementRequest& request);

// Of each level, from the top: what a used domain has at least, and a multiple of what, by the
// levels below it, too. REQUIRES: no contradiction.
std::vector<Terms> WithThoseBelow(std::span<const Terms> terms);

// The first contradiction between the words of one rule, of two levels, or of a rule and the number
// of members, for people; empty when there is none. What it names is impossible on any cluster.
std::string Contradiction(const Tree& tree, const PlacementRequest& request, int32_t members);

}  // namespace gangplan::exact
