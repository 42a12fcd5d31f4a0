// One level by itself: how many members each of some siblings takes when nothing below them counts.
//
//   siblings of 8, 8 and 4: 15 members are 8 and 7 by pack, 6, 5 and 4 by spread; where who is used
//   has 3 at least, 17 are 8, 6 and 3 by pack
//   8 and 7 are for the first two siblings, and who takes which is open; the third takes 0
//
// Pure functions, linear in the runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/exact/terms.h"

namespace gangplan::exact {

// `count` siblings with `value` each.
struct Run {
  int32_t value = 0;
  int32_t count = 0;
  friend bool operator==(const Run&, const Run&) = default;
};

// One more sibling, no larger than those before.
inline void AddRun(std::vector<Run>& runs, int32_t value) {
  if (!runs.empty() && runs.back().value == value)
    ++runs.back().count;
  else
    runs.push_back({value, 1});
}

// Siblings that each take nothing or lo, lo + step, ..., up to their own most (lo is a multiple of
// step, and so is every most).
struct Siblings {
  std::span<const Run> most;  // largest first
  int32_t lo = 1;
  int32_t step = 1;
  int32_t least = 0;  // so many are used at least

  int32_t Usable() const;             // how many there are
  int64_t Held(int32_t parts) const;  // the `parts` largest hold this many together
};

inline constexpr int32_t kAnyParts = -1;

// The counts of the siblings that are used, largest first, in the best split of `members` over
// exactly `parts` of them (kAnyParts: over any number): pack has the fewest, then the largest sum
// of squares; spread the smallest sum of squares; any is split as pack. False when there is no
// split.
//
// The counts of the best split are unique, whichever siblings take them: pack's are the largest and
// spread's the smallest of all splits in the order of majorization. So every best split is one way
// to deal these counts out.
bool BestSplit(const Siblings& siblings, LevelRule::Kind kind, int32_t parts, int32_t members,
               std::vector<Run>& split);

// The same where siblings of `without`, told by their most, are not there (one that is not in the
// runs has 0), and siblings of `with` are and have to be used. All have the same lo and step.
//
// Whatever a split is in which these are used, it majorizes no more (spread: no less) than the one
// over them and the largest others, so the counts are unique here too.
bool BestSplitWith(const Siblings& siblings, std::span<const int32_t> without,
                   std::span<const int32_t> with, LevelRule::Kind kind, int32_t parts,
                   int32_t members, std::vector<Run>& split);

// A split is dealt out in segments: where as many siblings have room for a value as the split has
// values at least as large, just these siblings take just these values. Calls visit(values, begin,
// end), by the siblings' rank, for each until it is false; what the split does not use is one more
// value, 0.
template <typename Visit>
bool VisitSegments(const Siblings& siblings, std::vector<Run>& split, Visit visit) {
  const int32_t all = siblings.Usable();
  int32_t used = 0;
  for (const Run& run : split) used += run.count;
  if (used < all) split.push_back({0, all - used});
  const std::span<const Run> most = siblings.most;
  int32_t begin = 0, able = 0, dealt = 0;
  size_t first = 0, run = 0;
  for (size_t i = 0; i < split.size(); ++i) {
    dealt += split[i].count;
    for (; run < most.size() && most[run].value >= split[i].value; ++run) able += most[run].count;
    if (able != dealt) continue;
    const std::span<const Run> values = std::span<const Run>(split).subspan(first, i + 1 - first);
    if (!visit(values, begin, able)) return false;
    begin = able;
    first = i + 1;
  }
  return true;
}

// More than the square of any number of members.
inline constexpr int64_t kDomainCost = int64_t{1} << 36;

// What a level's part of the goal is for one used domain with `members`; the less the better. A sum
// over domains compares as the goal does.
inline int64_t LevelCost(LevelRule::Kind kind, int64_t members) {
  if (kind == LevelRule::Kind::kAny || members == 0) return 0;
  return kind == LevelRule::Kind::kPack ? kDomainCost - members * members : members * members;
}
// The same for so many used domains with this sum of their squares.
inline int64_t LevelCost(LevelRule::Kind kind, int64_t domains, int64_t squares) {
  if (kind == LevelRule::Kind::kAny) return 0;
  return kind == LevelRule::Kind::kPack ? kDomainCost * domains - squares : squares;
}

}  // namespace gangplan::exact
