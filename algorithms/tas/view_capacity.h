// Room as a placement view has it, for the pod sets of one request: the counts of each set, less
// what was assumed. What the pods of one set leave to another is asked of the view's LeafRoom.
//
// Invariants: the view is never written; counts of a set are copied when something was assumed and
// they are asked for, and only the leaves that have changed since are looked at again. Costs of
// Counts: O(changed leaves x depth), and O(leaves) once more where a leader is asked for.
// Thread rule: one thread at a time; the view outlives it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "algorithms/engine.h"
#include "algorithms/tas/workload.h"
#include "topology/fit_counts.h"

namespace gangplan {

class ViewCapacity : public TasCapacity {
 public:
  // REQUIRES: a room where there are several pod sets.
  explicit ViewCapacity(const PlacementView& view);

  TasCounts Counts(int32_t workers, int32_t leader) override;
  void Assume(int32_t pod_set, std::span<const TasShare> shares) override;

 private:
  struct SetCounts {
    FitCounts copy;   // empty until something is taken off
    size_t seen = 0;  // so much of changed_ is in the copy
  };
  using Taken = std::vector<int32_t>;  // members by pod set

  const FitCounts& CountsOf(int32_t pod_set);
  int32_t Fit(int32_t leaf, int32_t pod_set, const Taken& taken) const;
  void CountBesideLeader(int32_t workers, int32_t leader);

  const PlacementView& view_;
  std::vector<SetCounts> sets_;
  std::map<int32_t, Taken> taken_;  // by leaf
  std::vector<int32_t> changed_;    // leaves in the order of Assume
  std::vector<int32_t> beside_;
  std::vector<int32_t> leads_;
};

}  // namespace gangplan
