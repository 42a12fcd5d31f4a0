// Splitting members over sibling domains: as few domains as possible, the fullest first, and for
// the rest the tightest that holds it. Pure functions; linear in the domains (one partial sort).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/fit_counts.h"
#include "topology/tree.h"

namespace gangplan {

// Members that a domain takes.
struct Share {
  int32_t index = 0;
  int32_t members = 0;
  friend bool operator==(const Share&, const Share&) = default;
};

// Counts of the children of a domain above the leaves.
std::span<const int32_t> ChildCounts(const Tree& tree, const FitCounts& counts, int level,
                                     int32_t index);

// The fewest of these that hold `need` together. REQUIRES: need > 0 and all of them do.
int32_t FewestChildren(std::span<const int32_t> counts, int32_t need);

// A lower bound of it in one pass: as if each were as large as the largest.
int32_t FewestChildrenBound(std::span<const int32_t> counts, int32_t need);

// Who takes how many of `need`: `domains` are indices into `counts`. Largest first (equal ones by
// index), the last one the tightest that holds the rest. REQUIRES: need > 0 and all of them hold
// it.
std::vector<Share> FewestShares(std::span<const int32_t> counts, std::span<const int32_t> domains,
                                int32_t need);

}  // namespace gangplan
