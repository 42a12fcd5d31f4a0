// The `tas` engine: places one pod set, or one leader beside its workers, on a topology exactly as
// Kueue's Topology Aware Scheduling does: one domain of the asked level where the request fits into
// one, else (unless it is required) upwards and then over several; in slices of one or several
// layers; best fit, most or least free capacity, or balanced.
//
// Invariants: no domain takes more than its count; the answer is ordered by path and depends on the
// arguments alone; every choice is a total order that ends with the path.
// Cost: a request that fits into one domain reads the counts of its level and of the levels below
// inside of that domain; over several domains, a few passes over the counts that they pool; a
// leader, affinity scores and the counts of slices each cost a pass down to where they are defined.
// Nothing is sorted but what is used. With a scratch that has grown no memory is taken but for the
// answer's own growth.
// Thread rule: pure functions; a scratch and a result belong to one call at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/request.h"
#include "topology/fit_counts.h"
#include "topology/tree.h"

namespace gangplan {

// Every `size` pods stay in one domain of `level`.
struct TasLayer {
  int level = 0;
  int32_t size = 1;
  friend bool operator==(const TasLayer&, const TasLayer&) = default;
};

struct TasRequest {
  enum class Mode { kRequired, kPreferred, kUnconstrained };
  Mode mode = Mode::kUnconstrained;
  int level = 0;        // required or preferred; slices alone: 0; else unconstrained: the lowest
  int32_t count = 0;    // pods of the pod set; of the workers where there is a leader
  bool leader = false;  // one leader beside the workers, in the same domain of `level`
  std::vector<TasLayer> slices;  // outermost first, each deeper; sizes divide the one above
  TasProfile profile = TasProfile::kMixed;
  bool balanced = false;  // preferred: balanced placement is tried first
  KueueCompatibility compatibility = KueueCompatibility::kFixed;
  std::optional<Tree::Domain> confine;  // only inside of this domain
};

// What fits where; views that stay valid during the call.
struct TasCounts {
  // The level that is placed on: the tree's leaf level, or the one above where the topology has no
  // level of host names (its domains are then pools of nodes).
  int lowest = 0;
  const FitCounts* workers = nullptr;  // levels 0..lowest; an upper domain is the sum of its parts
  std::span<const int32_t> workers_beside_leader;  // per lowest domain; empty without a leader
  std::span<const int32_t> leader_fits;            // per lowest domain, 0 is none; as above
  std::span<const int64_t> affinity;               // per lowest domain; empty: all the same
};

// Pods on one domain of the lowest level.
struct TasShare {
  int32_t domain = 0;
  int32_t count = 0;
  friend bool operator==(const TasShare&, const TasShare&) = default;
};

// How far one layer of slices went in the best domain of the last level searched.
struct TasLayerFit {
  int level = 0;
  int64_t fit = 0;
  int64_t need = 0;
  friend bool operator==(const TasLayerFit&, const TasLayerFit&) = default;
};

struct TasFailure {
  enum class Kind {
    kNoFit,             // fit, of
    kNoFitLayers,       // layers; for requests with several layers of slices
    kNoDomainsAtLevel,  // level: no node qualifies
    // What words contradict themselves in before they are a request; name: the level they name.
    kLevelNotSpecified,
    kUnknownLevel,
    kUnknownSliceLevel,
    kSliceSizeMissing,
    kSliceLevelAbovePodSetLevel,
    kSliceLayersNotDescending,
    kSliceLayerSizeNotDivisor,
    kStaleAssignment,  // a repair (tas/repair.h): a node that should stand is not in the tree
  };
  Kind kind = Kind::kNoFit;
  int level = 0;
  bool in_slices = false;  // the unit of `fit` and `of`: slices, else pods
  int64_t fit = 0;
  int64_t of = 0;
  std::vector<TasLayerFit> layers;
  std::optional<Tree::Domain> confined;  // nothing outside of it was looked at
  std::string name;
  friend bool operator==(const TasFailure&, const TasFailure&) = default;
};

struct TasResult {
  // By path, no zeros. With kExact fewer than asked where Kueue calls that a success: what is left
  // of a count that is no multiple of its slices, and some balanced placements.
  std::vector<TasShare> workers;
  int32_t leader = -1;  // lowest-level domain of the leader
  std::optional<TasFailure> failure;
};

// What a solve needs of memory, kept from call to call. Grows to a few numbers a domain.
class TasScratch {
 public:
  struct Buffers;
  TasScratch();
  ~TasScratch();
  TasScratch(TasScratch&&) noexcept;
  TasScratch& operator=(TasScratch&&) noexcept;
  Buffers& buffers() { return *buffers_; }

 private:
  std::unique_ptr<Buffers> buffers_;
};

// REQUIRES: levels of the request in 0..lowest, the slices at or below `level`, each layer deeper
// than the one before and its size a divisor of the one before.
void PlaceTas(const Tree& tree, const TasCounts& counts, const TasRequest& request,
              TasScratch& scratch, TasResult& result);
TasResult PlaceTas(const Tree& tree, const TasCounts& counts, const TasRequest& request);

}  // namespace gangplan
