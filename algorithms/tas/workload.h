// The pod sets of one workload, one after another: leaders beside their workers, each pod set in
// the room that the ones before it left, and what stands already kept where the workload grows.
// The first failure ends it. Pure but for the capacity that it is given.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/tas.h"

namespace gangplan {

struct TasPodSet {
  TasRequest request;                 // count, level, slices; `leader` is set where one leads
  std::optional<TasFailure> invalid;  // instead of a request
  bool slices_alone = false;          // SlicesAlone of its words
  int32_t group = -1;                 // two pod sets of one number: the smaller leads
  // Elastic: what stands, in the stored order; domain -1: not in the tree any more. Only the
  // difference to the count is placed. None: placed afresh.
  std::optional<std::vector<TasShare>> previous;
};

// Where the counts come from.
class TasCapacity {
 public:
  virtual ~TasCapacity() = default;
  // Room for pods of `workers`, and of `leader` beside them (-1: none), in what is left beside all
  // that was assumed. Valid until the next call.
  virtual TasCounts Counts(int32_t workers, int32_t leader) = 0;
  // Pods of the pod set that take their room from now on.
  virtual void Assume(int32_t pod_set, std::span<const TasShare> shares) = 0;
};

struct TasAnswer {
  int32_t pod_set = 0;
  std::vector<TasShare> shares;  // by path, no zeros; as stored where nothing changed
  std::optional<TasFailure> failure;
};

// In the order of decision; a group that fails has the failure at each of its pod sets, one that
// grows at its workers only (the leader has no answer then), and later pod sets have no answer. Pod
// sets of count 0 have none either.
std::vector<TasAnswer> PlaceTasWorkload(const Tree& tree, std::span<const TasPodSet> pod_sets,
                                        TasCapacity& capacity, TasScratch& scratch);

// Adds up shares of equal domains, ordered by path.
std::vector<TasShare> MergeShares(std::vector<TasShare> shares);

}  // namespace gangplan
