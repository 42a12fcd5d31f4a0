#include "tests/algorithms/reference_solver.h"

#include <algorithm>
#include <utility>

#include "tests/support/exact_reference.h"

namespace gangplan {
namespace {

PerLeaf PerDomain(const Tree& tree, int level, const PerLeaf& placement) {
  PerLeaf domains(tree.size(level), 0);
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf)
    domains[tree.Ancestor(leaf, level)] += placement[leaf];
  return domains;
}

// More domains, or fewer squares in as many.
bool Worse(const BestLevel& a, const BestLevel& b) {
  return std::make_pair(a.domains, -a.squares) > std::make_pair(b.domains, -b.squares);
}

}  // namespace

void ForEachPlacement(const PerLeaf& counts, int32_t members,
                      const std::function<void(const PerLeaf&)>& visit) {
  PerLeaf placement(counts.size(), 0);
  std::function<void(size_t, int32_t)> fill = [&](size_t leaf, int32_t rest) {
    if (leaf == counts.size()) {
      if (rest == 0) visit(placement);
      return;
    }
    for (int32_t here = 0; here <= std::min(rest, counts[leaf]); ++here) {
      placement[leaf] = here;
      fill(leaf + 1, rest - here);
    }
    placement[leaf] = 0;
  };
  fill(0, members);
}

std::optional<std::vector<int64_t>> PackKey(const Tree& tree, const FitCounts& counts,
                                            const PlacementRequest& request,
                                            const PerLeaf& placement) {
  std::optional<std::vector<int64_t>> key = PlacementKeyOf(tree, request, placement);
  if (!key) return key;
  for (int level = 0; level < tree.level_count(); ++level) {
    const PerLeaf members = PerDomain(tree, level, placement);
    std::vector<std::pair<int32_t, int32_t>> order;  // room, index
    for (int32_t index = 0; index < tree.size(level); ++index)
      order.emplace_back(counts.levels[level][index], index);
    std::sort(order.begin(), order.end());
    for (const auto& [room, index] : order) key->push_back(-members[index]);
  }
  return key;
}

std::optional<BestLevel> BestBelow(const Tree& tree, const FitCounts& counts, int hard,
                                   int32_t members) {
  std::optional<BestLevel> best;
  for (int32_t domain = 0; domain < (hard < 0 ? 1 : tree.size(hard)); ++domain) {
    std::vector<int32_t> rooms;
    for (int32_t child = 0; child < tree.size(hard + 1); ++child) {
      if (hard < 0 || tree.parent(hard + 1, child) == domain)
        rooms.push_back(counts.levels[hard + 1][child]);
    }
    std::sort(rooms.rbegin(), rooms.rend());
    BestLevel fullest;
    int32_t rest = members;
    for (const int32_t room : rooms) {
      const int64_t share = std::min(rest, room);
      if (share == 0) break;
      ++fullest.domains;
      fullest.squares += share * share;
      rest -= static_cast<int32_t>(share);
    }
    if (rest == 0 && (!best || Worse(*best, fullest))) best = fullest;
  }
  return best;
}

BestLevel LevelOf(const Tree& tree, int level, const PerLeaf& placement) {
  BestLevel found;
  for (const int64_t members : PerDomain(tree, level, placement)) {
    found.domains += static_cast<int64_t>(members > 0);
    found.squares += members * members;
  }
  return found;
}

}  // namespace gangplan
