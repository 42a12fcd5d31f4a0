#include "algorithms/tas/view_capacity.h"

#include <algorithm>

#include "algorithms/leaf_room.h"
#include "topology/base/check.h"

namespace gangplan {

ViewCapacity::ViewCapacity(const PlacementView& view) : view_(view), sets_(view.counts.size()) {
  GANGPLAN_CHECK(view.counts.size() == 1 || view.room != nullptr);
}

TasCounts ViewCapacity::Counts(int32_t workers, int32_t leader) {
  TasCounts counts;
  counts.lowest = view_.tree->leaf_level();
  counts.workers = &CountsOf(workers);
  if (!view_.affinity.empty()) counts.affinity = view_.affinity[workers];
  if (leader >= 0) {
    CountBesideLeader(workers, leader);
    counts.workers_beside_leader = beside_;
    counts.leader_fits = leads_;
  }
  return counts;
}

void ViewCapacity::Assume(int32_t pod_set, std::span<const TasShare> shares) {
  for (const TasShare& share : shares) {
    Taken& taken = taken_[share.domain];
    taken.resize(sets_.size());
    taken[static_cast<size_t>(pod_set)] += share.count;
    changed_.push_back(share.domain);
  }
}

const FitCounts& ViewCapacity::CountsOf(int32_t pod_set) {
  SetCounts& set = sets_[static_cast<size_t>(pod_set)];
  if (changed_.empty()) return *view_.counts[pod_set];
  if (set.copy.levels.empty()) set.copy = *view_.counts[pod_set];
  for (; set.seen < changed_.size(); ++set.seen) {
    const int32_t leaf = changed_[set.seen];
    set.copy.SetLeaf(*view_.tree, leaf, Fit(leaf, pod_set, taken_.find(leaf)->second));
  }
  return set.copy;
}

int32_t ViewCapacity::Fit(int32_t leaf, int32_t pod_set, const Taken& taken) const {
  if (view_.room != nullptr) return view_.room->Fit(leaf, pod_set, taken);
  const int32_t count = view_.counts[pod_set]->levels.back()[leaf];
  return std::max(count - taken[static_cast<size_t>(pod_set)], 0);
}

// A leader goes where its own filter and the room let it; it takes its room first.
void ViewCapacity::CountBesideLeader(int32_t workers, int32_t leader) {
  const std::vector<int32_t>& fits = CountsOf(workers).levels.back();
  leads_ = CountsOf(leader).levels.back();
  beside_ = fits;
  const Taken none(sets_.size());
  Taken taken;
  for (size_t leaf = 0; leaf < leads_.size(); ++leaf) {
    if (leads_[leaf] == 0 || fits[leaf] == 0) continue;
    const auto known = taken_.find(static_cast<int32_t>(leaf));
    taken = known == taken_.end() ? none : known->second;
    ++taken[static_cast<size_t>(leader)];
    beside_[leaf] = Fit(static_cast<int32_t>(leaf), workers, taken);
  }
}

}  // namespace gangplan
