// What the gap of an answer that is not proven claims, held against the best of all placements.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/engine.h"
#include "fmt/format.h"

namespace gangplan {

using GapNumber =
    std::pair<int64_t, int64_t>;  // of a level: domains (pack), squares, less is better

// The key of a placement level by level.
inline std::vector<GapNumber> ByLevel(const PlacementRequest& request,
                                      const std::vector<int64_t>& key) {
  std::vector<GapNumber> levels;
  auto next = key.begin();
  for (const auto& rule : request.rules) {
    const LevelRule::Kind kind = rule.value_or(LevelRule{}).kind;
    GapNumber& level = levels.emplace_back(0, 0);
    if (kind == LevelRule::Kind::kPack) level.first = *next++;
    if (kind != LevelRule::Kind::kAny) level.second = *next++;
  }
  return levels;
}

// What is wrong with the gap of an answer; empty: it is true.
inline std::string GapFault(const PlacementRequest& request, const PlacementGap& gap,
                            const std::vector<int64_t>& reached, const std::vector<int64_t>& best) {
  const std::vector<GapNumber> ours = ByLevel(request, reached), theirs = ByLevel(request, best);
  for (int level = 0; level < gap.level; ++level)
    if (ours[level] != theirs[level]) return fmt::format("level {} is not the best", level);
  const bool pack = request.rules[gap.level].value_or(LevelRule{}).kind == LevelRule::Kind::kPack;
  const int64_t sign = pack ? -1 : 1;
  if (ours[gap.level] != GapNumber{gap.domains, sign * gap.squares}) return "not what was reached";
  const GapNumber bound{gap.bound_domains, sign * gap.bound_squares};
  if (theirs[gap.level] < bound) return "the best is beyond the bound";
  return bound < ours[gap.level] ? "" : "there is no gap";
}

}  // namespace gangplan
