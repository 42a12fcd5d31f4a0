#include "algorithms/engine.h"

#include <algorithm>

#include "algorithms/pack.h"
#include "topology/base/check.h"

namespace gangplan {

PlacementResult Place(const PlacementView& now, const std::function<PlacementView()>& empty,
                      const PlacementRequest& request, const Budget&) {
  PlacementResult result;
  GANGPLAN_CHECK(static_cast<int>(request.rules.size()) == now.tree->level_count() ||
                 now.tree->leaf_count() == 0);
  result.problem = PackProblem(*now.tree, request);
  if (!result.problem.empty()) return result;
  result = Pack(now, request);
  if (result.outcome != Outcome::kWait) return result;
  PlacementView best = empty();
  // On the empty cluster the standing members' own room is free as well.
  PlacementRequest whole = request;
  whole.fixed.clear();
  if (Pack(best, whole).outcome != Outcome::kPlaced) result.outcome = Outcome::kImpossible;
  int level = std::max(result.deciding_level, 0);
  int64_t most = 0;
  for (int32_t count : best.counts.front()->at(level))
    most = result.deciding_level < 0 ? most + count : std::max<int64_t>(most, count);
  result.most_when_empty = static_cast<int32_t>(most);
  return result;
}

std::vector<LevelEvidence> Explain(const PlacementView& now, const PlacementView& empty,
                                   const PlacementRequest& request) {
  std::vector<LevelEvidence> evidence;
  const Tree& tree = *now.tree;
  auto best = [&](const FitCounts& counts, int level, int32_t& index, int32_t& fit) {
    auto row = counts.at(level);
    auto it = std::max_element(row.begin(), row.end());
    if (it == row.end()) return;
    index = static_cast<int32_t>(it - row.begin());
    fit = *it;
  };
  for (int level = 0; level < tree.level_count(); ++level) {
    LevelEvidence entry;
    entry.level = level;
    entry.hard = level <= HardLevel(request);
    entry.needed = request.pod_sets.front().count - static_cast<int32_t>(request.fixed.size());
    entry.domains = tree.size(level);
    best(*now.counts.front(), level, entry.best_domain, entry.best_fit);
    best(*empty.counts.front(), level, entry.empty_domain, entry.empty_fit);
    evidence.push_back(entry);
  }
  return evidence;
}

}  // namespace gangplan
