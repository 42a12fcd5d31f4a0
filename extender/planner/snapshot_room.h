// The view of a question's snapshot that an engine sees, as ModelRoom's is of the model.
//
// Thread rule: that of the snapshot, which outlives it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/engine.h"
#include "algorithms/leaf_room.h"
#include "topology/placement_snapshot.h"

namespace gangplan {

class SnapshotRoom : public LeafRoom {
 public:
  // Of so many pod sets; `scores`: one list a pod set by leaf, empty where none counts, or no list.
  SnapshotRoom(const PlacementSnapshot& snapshot, size_t sets,
               const std::vector<std::vector<int64_t>>& scores, CountKind kind)
      : snapshot_(snapshot), sets_(sets), scores_(scores), kind_(kind) {}

  int32_t Fit(int32_t leaf, int32_t pod_set, std::span<const int32_t> taken) const override {
    return snapshot_.FitBeside(leaf, kind_, static_cast<size_t>(pod_set), taken);
  }

  int64_t FitWork() const override { return snapshot_.FitWork(); }

  void Limit(int32_t pod_set, std::span<const int32_t> taken,
             std::span<int32_t> counts) const override {
    snapshot_.LimitBeside(kind_, static_cast<size_t>(pod_set), taken, counts);
  }

  // It outlives the view.
  PlacementView View() const {
    PlacementView view{&snapshot_.tree(), {}, sets_ > 1 ? this : nullptr};
    for (size_t i = 0; i < sets_; ++i) view.counts.push_back(&snapshot_.Counts(i, kind_));
    view.affinity.assign(scores_.begin(), scores_.end());
    return view;
  }

 private:
  const PlacementSnapshot& snapshot_;
  const size_t sets_;
  const std::vector<std::vector<int64_t>>& scores_;
  const CountKind kind_;
};

}  // namespace gangplan
