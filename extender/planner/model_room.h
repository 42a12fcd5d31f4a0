// How pods of several shapes share the nodes of the model, and views of it for the engines.
// Thread rule: that of the model, which outlives it; valid until the model's next change.
#pragma once

#include <cstdint>
#include <iterator>
#include <span>

#include "algorithms/engine.h"
#include "algorithms/leaf_room.h"
#include "topology/model.h"
#include "topology/placement_snapshot.h"

namespace gangplan {

class ModelRoom : public LeafRoom {
 public:
  // One shape a pod set, all of one topology; they outlive this.
  ModelRoom(const Model& model, CountKind kind, std::span<const ShapeId> shapes)
      : model_(model), kind_(kind), shapes_(shapes) {}

  int32_t Fit(int32_t leaf, int32_t pod_set, std::span<const int32_t> taken) const override {
    return model_.FitBeside(leaf, kind_, shapes_[static_cast<size_t>(pod_set)], shapes_, taken);
  }

  int64_t FitWork() const override {
    int64_t amounts = 0;
    for (ShapeId shape : shapes_) amounts += std::ssize(model_.demand(shape));
    return PlacementSnapshot::FitWork(amounts);
  }

  void Limit(int32_t pod_set, std::span<const int32_t> taken,
             std::span<int32_t> counts) const override {
    model_.LimitBeside(kind_, shapes_[static_cast<size_t>(pod_set)], shapes_, taken, counts);
  }

  // The counts of each shape, and this room where there are several; it outlives the view.
  PlacementView View() const {
    const TopologyIndex topology = shapes_.empty() ? 0 : model_.TopologyOf(shapes_.front());
    PlacementView view{&model_.tree(topology), {}, shapes_.size() > 1 ? this : nullptr};
    view.counts.reserve(shapes_.size());
    for (ShapeId shape : shapes_) view.counts.push_back(&model_.Counts(shape, kind_));
    return view;
  }

 private:
  const Model& model_;
  const CountKind kind_;
  const std::span<const ShapeId> shapes_;
};

}  // namespace gangplan
