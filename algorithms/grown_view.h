// A view of a cluster with more nodes below one lowest domain: each like a node that is there, when
// that one is empty. What is asked of it is asked as of any other view.
//
// Cost: the tree is made anew, O(leaves); from then on Grow is O(nodes x depth). Thread rule: one
// caller at a time; what it was made of outlives it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/engine.h"
#include "algorithms/leaf_room.h"
#include "topology/fit_counts.h"
#include "topology/tree.h"

namespace gangplan {

class GrownView : private LeafRoom {
 public:
  // `under`: a domain of the last level but the node's, 0 where the node is the only level; `most`
  // nodes may come. The leaves of `empty` are those of `now`.
  GrownView(const PlacementView& now, const PlacementView& empty, int32_t under, int32_t most);
  GrownView(const GrownView&) = delete;
  GrownView& operator=(const GrownView&) = delete;

  // So many have come, like this leaf, and no others. REQUIRES: not more than `most`.
  void Grow(int32_t nodes, int32_t like);
  const PlacementView& view() const { return view_; }
  // The request with its standing members on the leaves of this view. O(members that stand).
  PlacementRequest Here(PlacementRequest request) const;

 private:
  int32_t Fit(int32_t leaf, int32_t pod_set, std::span<const int32_t> taken) const override;
  int64_t FitWork() const override { return now_.room->FitWork(); }

  const PlacementView now_, empty_;
  Tree tree_;
  std::vector<int32_t> old_;    // by leaf: that of `now`; -1: one of those that come
  std::vector<int32_t> fresh_;  // by leaf of `now`: that of this view
  std::vector<int32_t> added_;  // leaves
  int32_t nodes_ = 0;           // of these have come
  int32_t like_ = 0;
  std::vector<FitCounts> counts_;  // by pod set
  std::vector<std::vector<int64_t>> affinity_;
  PlacementView view_;
};

}  // namespace gangplan
