// Preferred node affinity: which nodes the pods of a pod set would rather have, as the engine sees
// it.
#include "extender/planner/planner.h"

namespace gangplan {

// The score of every leaf that the set may use; empty where none counts. O(nodes x terms).
std::vector<int64_t> Planner::PreferenceOf(const GroupPodSet& set) {
  if (!options_.preferred_affinity || set.preferred_terms.empty()) return {};
  std::vector<int64_t> scores(static_cast<size_t>(model_.tree().leaf_count()));
  for (size_t leaf = 0; leaf < scores.size(); ++leaf) {
    NodeIndex node = model_.NodeOfLeaf(static_cast<int32_t>(leaf));
    if (model_.MayUse(node, set.shape))
      scores[leaf] = PreferenceScore(set.preferred_terms, *model_.Facts(node));
  }
  return scores;
}

// The view with the scores of what is asked for; they stay while it does.
PlacementView Planner::Liked(PlacementView view, const Ask& ask) {
  view.affinity.assign(ask.scores.begin(), ask.scores.end());
  return view;
}

}  // namespace gangplan
