#include "algorithms/exact/gap.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

// What the domains of a level can take at most, as if they were alike, with any load.
Siblings AllOf(const Field& field, int level, std::vector<Run>& runs) {
  Siblings siblings{{}, kNoLimit, 0, 0};
  std::vector<int32_t> mosts;
  const int32_t loads = field.Whole();
  for (int32_t index = 0; index < field.tree().size(level); ++index) {
    int32_t most = 0;
    for (int32_t load = 0; load <= loads; ++load) {
      const Reach reach = field.reach(level, field.Loaded(level, index, load));
      if (load == 0 && !reach.zero) ++siblings.least;
      if (reach.empty()) continue;
      most = std::max(most, reach.hi);
      siblings.lo = std::min(siblings.lo, reach.lo);
      siblings.step = std::gcd(siblings.step, reach.step);
    }
    if (most > 0) mosts.push_back(most);
  }
  CountWork(Work::kReach, int64_t{field.tree().size(level)} * (loads + 1));
  CountSort(mosts.size());
  std::sort(mosts.begin(), mosts.end(), std::greater<>());
  for (const int32_t most : mosts) AddRun(runs, most);
  siblings.most = runs;
  return siblings;
}

void Decode(LevelRule::Kind kind, int64_t cost, int64_t& domains, int64_t& squares) {
  const int64_t domain = LevelCost(LevelRule::Kind::kPack, 1) + 1;
  const bool pack = kind == LevelRule::Kind::kPack;
  domains = pack ? (cost + domain - 1) / domain : 0;
  squares = pack ? domains * domain - cost : cost;
}

}  // namespace

std::vector<int64_t> LevelBounds(const Field& field) {
  std::vector<int64_t> bounds;
  std::vector<Run> runs, split;
  for (int level = 0; level <= field.question().last_level; ++level) {
    const Terms& terms = field.terms(level);
    runs.clear();
    const Siblings siblings = AllOf(field, level, runs);
    const int32_t parts = level == 0 && terms.parts > 0 ? terms.parts : kAnyParts;
    int64_t& bound = bounds.emplace_back(0);
    if (!BestSplit(siblings, terms.kind, parts, field.question().members, split)) continue;
    for (const Run& run : split) bound += LevelCost(terms.kind, run.value) * run.count;
  }
  return bounds;
}

std::optional<PlacementGap> GapOf(const std::vector<Terms>& terms, std::span<const int64_t> costs,
                                  std::span<const int64_t> bounds) {
  const auto [cost, bound] = std::mismatch(costs.begin(), costs.end(), bounds.begin());
  if (cost == costs.end()) return std::nullopt;
  PlacementGap gap;
  gap.level = static_cast<int>(cost - costs.begin());
  const LevelRule::Kind kind = terms[gap.level].kind;
  Decode(kind, *cost, gap.domains, gap.squares);
  Decode(kind, *bound, gap.bound_domains, gap.bound_squares);
  return gap;
}

}  // namespace gangplan::exact
