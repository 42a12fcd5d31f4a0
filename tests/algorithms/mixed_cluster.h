// Nodes with several resources, and pod sets that demand of them: room by itself and beside others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/engine.h"
#include "algorithms/leaf_room.h"
#include "fmt/format.h"
#include "tests/support/exact_reference.h"
#include "tests/support/roll_up.h"

namespace gangplan {

// As the planner has them: under its lock, and on a copy.
inline constexpr int64_t kPlannersSteps = 200'000;
inline constexpr int64_t kCopysSteps = 20'000'000;

using Amounts = std::vector<int32_t>;  // one a resource

class MixedCluster : public LeafRoom {
 public:
  std::vector<Amounts> free;     // by leaf
  std::vector<Amounts> demands;  // by pod set

  int32_t Fit(int32_t leaf, int32_t pod_set, std::span<const int32_t> taken) const override {
    int32_t fit = kMaxLeafCount;
    for (size_t r = 0; r < free[leaf].size(); ++r) {
      int32_t left = free[leaf][r];
      for (size_t set = 0; set < taken.size(); ++set) left -= taken[set] * demands[set][r];
      if (demands[pod_set][r] > 0) fit = std::min(fit, left / demands[pod_set][r]);
    }
    return std::max(fit, 0);
  }

  bool Holds(int32_t leaf, std::span<const int32_t> pods) const {
    for (size_t r = 0; r < free[leaf].size(); ++r) {
      int32_t used = 0;
      for (size_t set = 0; set < pods.size(); ++set) used += pods[set] * demands[set][r];
      if (used > free[leaf][r]) return false;
    }
    return true;
  }

  // Counts of each pod set by itself; equal demands share one.
  std::vector<const FitCounts*> Counts(const Tree& tree) {
    counts_.clear();
    for (size_t set = 0; set < demands.size(); ++set) {
      PerLeaf leaves;
      const std::vector<int32_t> none(demands.size(), 0);
      for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf)
        leaves.push_back(Fit(leaf, static_cast<int32_t>(set), none));
      counts_.push_back(RollUpCounts(tree, leaves));
    }
    std::vector<const FitCounts*> views;
    for (size_t set = 0; set < demands.size(); ++set) {
      const auto same = std::find(demands.begin(), demands.end(), demands[set]);
      views.push_back(&counts_[same - demands.begin()]);
    }
    return views;
  }

 private:
  std::vector<FitCounts> counts_;
};

// Of a placement; empty: each pod set has its members, and they fit. `totals`: members by leaf,
// with those that stood before.
inline std::string UnfitMembers(const Tree& tree, const MixedCluster& cluster,
                                const PlacementRequest& request, const PlacementResult& result,
                                PerLeaf& totals) {
  totals.assign(tree.leaf_count(), 0);
  std::vector<PerLeaf> pods(tree.leaf_count(), PerLeaf(request.pod_sets.size(), 0));
  PerLeaf missing;
  for (const PodSetRequest& set : request.pod_sets) missing.push_back(set.count);
  for (const FixedMember& member : request.fixed) {
    ++totals[member.leaf];
    --missing[member.pod_set];
  }
  for (const PlacedMember& member : result.members) {
    ++totals[member.leaf];
    ++pods[member.leaf][member.pod_set];
    --missing[member.pod_set];
  }
  if (std::any_of(missing.begin(), missing.end(), [](int32_t n) { return n != 0; }))
    return "not each pod set has its members";
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf)
    if (!cluster.Holds(leaf, pods[leaf])) return fmt::format("leaf {} is too full", leaf);
  return "";
}

}  // namespace gangplan
