#include "algorithms/exact/units.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/exact/terms.h"
#include "algorithms/rank_units.h"
#include "algorithms/refused_view.h"

namespace gangplan::exact {
namespace {

// Copied for a road's view of the room.
constexpr int64_t kLeavesAStep = 4;

// Units stand in each of these domains, so that it has a floor.
std::vector<Terms> With(std::vector<Terms> terms, const LeaderRoad& road) {
  for (const auto& [level, more] : road.more) {
    for (UnitFloor& floor : terms[static_cast<size_t>(level)].floors)
      if (floor.domain == more.domain) floor.least += more.least;
  }
  return terms;
}

}  // namespace

SetsAnswer AskInUnits(const PlacementView& view, const PlacementRequest& request, bool counted,
                      int64_t& steps) {
  const Tree& tree = *view.tree;
  const std::vector<Terms> terms = TermsOf(tree, request);
  if (!CountsRanks(request.rules)) return AskSets(view, request, terms, counted, steps);
  SetsAnswer none;
  none.proven = true;
  const int64_t step_a_road = tree.leaf_count() / kLeavesAStep + 1;
  bool first = true;
  for (const LeaderRoad& road : LeaderRoads(tree, request)) {
    if (!std::exchange(first, false) && steps < step_a_road) {
      none.proven = false;
      break;
    }
    steps -= step_a_road;
    std::vector<std::vector<int32_t>> left(request.pod_sets.size());
    left.front() = road.left;
    const RefusedView seen(view, left);
    SetsAnswer answer = AskSets(seen.view(), request, With(terms, road), counted, steps);
    if (answer.placed) answer.ranked = RankInUnits(tree, request, answer.leaves);
    if (!answer.ranked.empty()) return answer;
    none.proven = none.proven && answer.proven && !answer.placed;
    none.most = std::max(none.most, answer.most);
  }
  return none;
}

}  // namespace gangplan::exact
