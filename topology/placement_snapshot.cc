#include "topology/placement_snapshot.h"

#include <algorithm>

#include "topology/model_state.h"

namespace gangplan {
namespace {

constexpr CountKind kKinds[] = {CountKind::kNow, CountKind::kEmpty};

constexpr size_t Index(CountKind kind) { return static_cast<size_t>(kind); }

}  // namespace

void PlacementSnapshot::Take(const Model& model, std::span<const ShapeId> shapes) {
  tree_ = model.SharedTree();
  leaf_nodes_ = model.state_->leaf_nodes;
  shapes_.resize(shapes.size());
  columns_in_use_ = 0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    Shape& shape = shapes_[i];
    shape.counts[Index(CountKind::kNow)] = model.Counts(shapes[i]);
    shape.counts[Index(CountKind::kEmpty)] = model.EmptyCounts(shapes[i]);
    if (shapes.size() > 1) TakeParts(model, shapes[i], shape);
  }
  for (size_t column = 0; column < columns_in_use_; ++column) FillColumn(column, model);
}

void PlacementSnapshot::TakeParts(const Model& model, ShapeId id, Shape& shape) {
  shape.parts.clear();
  const Model::State& state = *model.state_;
  for (const InternedAmount& part : state.demands.amounts(state.shapes.demand(id))) {
    if (part.amount > 0) shape.parts.push_back({ColumnOf(part), part.amount});
  }
}

size_t PlacementSnapshot::ColumnOf(const InternedAmount& part) {
  for (size_t column = 0; column < columns_in_use_; ++column) {
    if (columns_[column].of.resource == part.resource) return column;
  }
  if (columns_.size() == columns_in_use_) columns_.emplace_back();
  columns_[columns_in_use_].of = part;
  return columns_in_use_++;
}

void PlacementSnapshot::FillColumn(size_t column, const Model& model) {
  const NodeTable& nodes = model.state_->nodes;
  auto& [of, room] = columns_[column];
  if (const AmountColumn* common = nodes.columns().Find(of.resource)) {
    room[Index(CountKind::kNow)] = common->free;
    room[Index(CountKind::kEmpty)] = common->allocatable;
    return;
  }
  for (CountKind kind : kKinds) {
    std::vector<int64_t>& rare = room[Index(kind)];
    rare.assign(static_cast<size_t>(nodes.size()), of.implied);
    for (NodeIndex node : nodes.columns().Carriers(of.resource))
      rare[node] = nodes.at(node).Room(of, kind);
  }
}

int64_t PlacementSnapshot::AmountOf(const Shape& shape, size_t column) {
  for (const Part& part : shape.parts) {
    if (part.column == column) return part.amount;
  }
  return 0;
}

int32_t PlacementSnapshot::FitBeside(int32_t leaf, CountKind kind, size_t shape,
                                     std::span<const int32_t> taken) const {
  if (Counts(shape, kind).levels.back()[leaf] == 0) return 0;
  int32_t count = kMaxLeafCount;
  for (const Part& part : shapes_[shape].parts) {
    WideAmount room = columns_[part.column].room[Index(kind)][leaf_nodes_[leaf]];
    for (size_t i = 0; i < taken.size(); ++i) {
      if (taken[i] > 0) room -= WideAmount{AmountOf(shapes_[i], part.column)} * taken[i];
    }
    count = Fits(static_cast<int64_t>(std::max(room, WideAmount{0})), part.amount, count);
  }
  return count;
}

}  // namespace gangplan
