// Slow, obvious answers to requests of the `exact` engine: every placement there is, and of those
// that keep the rules the best key. Shares nothing with the engine but the request. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/request.h"
#include "topology/tree.h"

namespace gangplan {

// Whether so many new pods of each pod set fit on the leaf together.
using FitsTogether = std::function<bool(int32_t leaf, std::span<const int32_t> pods)>;

// Level by level from the top: pack the used domains and minus the sum of squares, spread the sum
// of squares, any nothing. `members` is what each leaf has in all. Nothing when a rule is broken.
std::optional<std::vector<int64_t>> PlacementKeyOf(const Tree& tree,
                                                   const PlacementRequest& request,
                                                   const std::vector<int32_t>& members);

struct ReferenceBest {
  std::optional<std::vector<int64_t>> key;  // of the best placement; nothing when there is none
  int64_t placements = 0;                   // looked at
};
ReferenceBest EnumerateBest(const Tree& tree, const PlacementRequest& request,
                            const FitsTogether& fits);

}  // namespace gangplan
