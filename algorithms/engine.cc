#include "algorithms/engine.h"

#include <algorithm>

#include "algorithms/exact.h"
#include "algorithms/packs.h"
#include "algorithms/pod_sets.h"
#include "algorithms/problem.h"
#include "algorithms/tas/engine.h"
#include "topology/base/check.h"
#include "topology/fit_counts.h"

namespace gangplan {
namespace {

void CheckView(const PlacementView& view, const PlacementRequest& request) {
  GANGPLAN_CHECK(view.tree != nullptr && view.counts.size() == request.pod_sets.size());
  const auto levels = static_cast<size_t>(view.tree->level_count());
  GANGPLAN_CHECK(request.rules.size() == levels);
  for (const PodSetRequest& set : request.pod_sets)
    GANGPLAN_CHECK(set.rules.empty() || set.rules.size() == levels);
  for (const FixedMember& member : request.fixed)
    GANGPLAN_CHECK(member.leaf >= 0 && member.leaf < view.tree->leaf_count() &&
                   static_cast<size_t>(member.pod_set) < view.counts.size());
}

// The largest domain of a level now: the first of the largest, -1 when there is none.
void FindLargest(std::span<const int32_t> counts, int32_t only, int32_t& domain, int32_t& fit) {
  domain = only;
  if (only < 0 && !counts.empty())
    domain = static_cast<int32_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  fit = domain < 0 ? 0 : counts[domain];
}

std::vector<LevelEvidence> ExplainOne(const Tree& tree, const FitCounts& now,
                                      const FitCounts& empty, const PlacementRequest& request) {
  const int hard = HardLevel(request);
  std::vector<LevelEvidence> evidence;
  for (int level = 0; level < tree.level_count(); ++level) {
    LevelEvidence entry;
    entry.level = level;
    entry.hard = level <= hard;
    entry.needed = MembersToPlace(request);
    entry.domains = tree.size(level);
    bool bound = entry.hard && !request.fixed.empty();
    int32_t only = bound ? tree.Ancestor(request.fixed.front().leaf, level) : -1;
    FindLargest(now.at(level), only, entry.best_domain, entry.best_fit);
    FindLargest(empty.at(level), only, entry.empty_domain, entry.empty_fit);
    evidence.push_back(entry);
  }
  return evidence;
}

}  // namespace

PlacementResult Place(const PlacementView& now, const std::function<PlacementView()>& empty,
                      const PlacementRequest& request, const Budget& budget) {
  CheckView(now, request);
  PlacementResult result;
  result.problem = RequestProblem(*now.tree, request);
  if (!result.problem.empty()) return result;
  if (request.strategy == Strategy::kTas) return PlaceByTas(now, empty, request);
  return PlaceByExact(now, empty, request, budget);
}

std::vector<LevelEvidence> Explain(const PlacementView& now, const PlacementView& empty,
                                   const PlacementRequest& request) {
  CheckView(now, request);
  CheckView(empty, request);
  std::vector<LevelEvidence> evidence;
  if (!RequestProblem(*now.tree, request).empty()) return evidence;
  for (size_t i = 0; i < request.pod_sets.size(); ++i) {
    for (LevelEvidence& entry :
         ExplainOne(*now.tree, *now.counts[i], *empty.counts[i], OnlyPodSet(request, i))) {
      entry.pod_set = static_cast<int32_t>(i);
      evidence.push_back(entry);
    }
  }
  return evidence;
}

}  // namespace gangplan
