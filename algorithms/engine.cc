#include "algorithms/engine.h"

#include <algorithm>
#include <limits>

#include "algorithms/exact.h"
#include "algorithms/members.h"
#include "algorithms/pack.h"
#include "algorithms/pod_sets.h"
#include "algorithms/problem.h"
#include "algorithms/tas/engine.h"
#include "topology/base/check.h"

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

// The members that stand and that the empty cluster's counts have room for: they take it there.
int32_t StandingRoom(const FitCounts& empty, const PlacementRequest& request) {
  std::vector<int32_t> leaves;
  for (const FixedMember& member : request.fixed) leaves.push_back(member.leaf);
  std::sort(leaves.begin(), leaves.end());
  int32_t room = 0;
  for (auto it = leaves.begin(); it != leaves.end();) {
    auto end = std::upper_bound(it, leaves.end(), *it);
    room += std::min(static_cast<int32_t>(end - it), empty.levels.back()[*it]);
    it = end;
  }
  return room;
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
  if (request.strategy == Strategy::kExact) return PlaceByExact(now, empty, request, budget);

  const FitCounts& counts = *now.counts.front();
  const int32_t need = MembersToPlace(request);
  if (DecidingRoom(*now.tree, counts, request) >= need) {
    result.outcome = Outcome::kPlaced;
    RankMembers(request, 0, Pack(*now.tree, counts, request), result.members);
    return result;
  }
  PlacementView best = empty();
  CheckView(best, request);
  const FitCounts& best_counts = *best.counts.front();
  int64_t room = DecidingRoom(*best.tree, best_counts, request);
  bool fits = room - StandingRoom(best_counts, request) >= need;
  result.outcome = fits ? Outcome::kWait : Outcome::kImpossible;
  result.deciding_level = HardLevel(request);
  result.most_when_empty =
      static_cast<int32_t>(std::min<int64_t>(room, std::numeric_limits<int32_t>::max()));
  return result;
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
