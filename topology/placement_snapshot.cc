#include "topology/placement_snapshot.h"

#include <algorithm>

#include "absl/hash/hash.h"
#include "topology/model_state.h"
#include "topology/usable_nodes.h"

namespace gangplan {
namespace {

constexpr size_t Index(CountKind kind) { return static_cast<size_t>(kind); }

}  // namespace

void PlacementSnapshot::Take(const Model& model, std::span<const ShapeId> shapes, bool gives_back) {
  topology_ = shapes.empty() ? 0 : model.TopologyOf(shapes.front());
  tree_ = model.SharedTree(topology_);
  model.state_->work += static_cast<int64_t>(shapes.size()) * tree_->leaf_count();
  leaf_nodes_ = model.state_->place(topology_).leaf_nodes;
  shapes_.resize(shapes.size());
  columns_in_use_ = 0;
  column_of_.clear();
  for (size_t i = 0; i < shapes.size(); ++i) {
    Shape& shape = shapes_[i];
    shape.counts[Index(CountKind::kNow)] = model.Counts(shapes[i]);
    shape.counts[Index(CountKind::kEmpty)] = model.EmptyCounts(shapes[i]);
    shape.may_use.clear();
    if (gives_back) TakeUsable(model.state_->shapes.usable(shapes[i]), shape);
    shape.parts.clear();
    if (shapes.size() > 1 || gives_back) TakeParts(model, shapes[i], shape);
  }
  for (size_t column = 0; column < columns_in_use_; ++column) FillColumn(column, model);
  TakeShared();
}

void PlacementSnapshot::TakeUsable(const std::vector<uint8_t>& of_node, Shape& shape) const {
  shape.may_use.reserve(leaf_nodes_.size());
  for (const NodeIndex node : leaf_nodes_)
    shape.may_use.push_back(of_node[static_cast<size_t>(node)] & kUsableNow);
}

void PlacementSnapshot::TakeParts(const Model& model, ShapeId id, Shape& shape) {
  const Model::State& state = *model.state_;
  for (const InternedAmount& part : state.demands.amounts(state.shapes.demand(id))) {
    if (part.amount > 0) shape.parts.push_back({ColumnOf(model, part), part.amount});
  }
}

size_t PlacementSnapshot::ColumnOf(const Model& model, const InternedAmount& part) {
  const auto [known, added] = column_of_.try_emplace(part.resource, columns_in_use_);
  if (!added) return known->second;
  if (columns_.size() == columns_in_use_) columns_.emplace_back();
  columns_[columns_in_use_].of = part;
  columns_[columns_in_use_].name = model.state_->resources.name(part.resource);
  return columns_in_use_++;
}

void PlacementSnapshot::TakeShared() {
  std::vector<int32_t> users(columns_in_use_, 0);
  for (const Shape& shape : shapes_) {
    for (const Part& part : shape.parts) ++users[part.column];
  }
  shared_.clear();
  std::vector<size_t> place(columns_in_use_, 0);
  for (size_t column = 0; column < columns_in_use_; ++column) {
    place[column] = shared_.size();
    if (users[column] > 1) shared_.push_back(column);
  }
  shared_amounts_.assign(shared_.size() * shapes_.size(), 0);
  for (size_t i = 0; i < shapes_.size(); ++i) {
    for (const Part& part : shapes_[i].parts) {
      if (users[part.column] > 1)
        shared_amounts_[place[part.column] * shapes_.size() + i] = part.amount;
    }
  }
}

void PlacementSnapshot::FillColumn(size_t column, const Model& model) {
  const NodeTable& nodes = model.state_->nodes;
  Column& one = columns_[column];
  one.leaves.clear();
  const AmountColumn* common = nodes.columns().Find(one.of.resource);
  one.few = common == nullptr;
  if (!one.few) {
    one.room[Index(CountKind::kNow)] = common->free;
    one.room[Index(CountKind::kEmpty)] = common->allocatable;
    return;
  }
  for (std::vector<int64_t>& room : one.room) room.clear();
  for (const NodeIndex node : nodes.columns().Carriers(one.of.resource)) {
    const int32_t leaf = model.LeafOfNode(topology_, node);
    if (leaf >= 0) one.leaves.push_back(leaf);
  }
  std::sort(one.leaves.begin(), one.leaves.end());
  for (const int32_t leaf : one.leaves) {
    const NodeRecord& record = nodes.at(leaf_nodes_[static_cast<size_t>(leaf)]);
    one.room[Index(CountKind::kNow)].push_back(Narrow(record.Free(one.of)));
    one.room[Index(CountKind::kEmpty)].push_back(record.Room(one.of, CountKind::kEmpty));
  }
}

int64_t PlacementSnapshot::RoomOn(const Column& column, CountKind kind, int32_t leaf) const {
  const std::vector<int64_t>& room = column.room[Index(kind)];
  if (!column.few) return room[static_cast<size_t>(leaf_nodes_[static_cast<size_t>(leaf)])];
  const auto at = std::lower_bound(column.leaves.begin(), column.leaves.end(), leaf);
  if (at == column.leaves.end() || *at != leaf) return column.of.implied;
  return room[static_cast<size_t>(at - column.leaves.begin())];
}

int64_t& PlacementSnapshot::RoomNow(Column& column, int32_t leaf) {
  std::vector<int64_t>& now = column.room[Index(CountKind::kNow)];
  if (!column.few) return now[static_cast<size_t>(leaf_nodes_[static_cast<size_t>(leaf)])];
  const auto at = std::lower_bound(column.leaves.begin(), column.leaves.end(), leaf);
  const auto number = at - column.leaves.begin();
  if (at == column.leaves.end() || *at != leaf) {
    column.leaves.insert(at, leaf);
    for (std::vector<int64_t>& room : column.room)
      room.insert(room.begin() + number, column.of.implied);
  }
  return now[static_cast<size_t>(number)];
}

void PlacementSnapshot::Limit(const Column& column, CountKind kind, int64_t amount, WideAmount gone,
                              std::span<int32_t> counts) const {
  const std::vector<int64_t>& room = column.room[Index(kind)];
  if (!column.few) return LimitToRoom(room, leaf_nodes_, amount, gone, counts);
  const auto fits = [&](int64_t all, int32_t most) {
    return Fits(Narrow(std::max(WideAmount{all} - gone, WideAmount{0})), amount, most);
  };
  std::vector<int32_t> own;
  for (size_t i = 0; i < column.leaves.size(); ++i)
    own.push_back(fits(room[i], counts[static_cast<size_t>(column.leaves[i])]));
  for (int32_t& count : counts) count = fits(column.of.implied, count);
  for (size_t i = 0; i < column.leaves.size(); ++i)
    counts[static_cast<size_t>(column.leaves[i])] = own[i];
}

std::vector<int64_t> PlacementSnapshot::AmountsOf(const ResourceList& requests) const {
  std::vector<int64_t> amounts;
  for (size_t column = 0; column < columns_in_use_; ++column)
    amounts.push_back(gangplan::AmountOf(requests, columns_[column].name));
  return amounts;
}

void PlacementSnapshot::Freed(int32_t leaf, std::span<const int64_t> amounts, int64_t times) {
  for (size_t column = 0; column < columns_in_use_; ++column) {
    if (amounts[column] == 0) continue;
    int64_t& room = RoomNow(columns_[column], leaf);
    room = Narrow(room + WideAmount{amounts[column]} * times);
  }
  for (size_t i = 0; i < shapes_.size(); ++i) {
    if (!MayUse(i, leaf)) continue;
    Shape& shape = shapes_[i];
    shape.counts[Index(CountKind::kNow)].SetLeaf(*tree_, leaf, CountOn(leaf, shape));
  }
}

uint64_t PlacementSnapshot::Fingerprint() const {
  size_t hash = absl::HashOf(tree_.get(), shapes_.size());
  for (CountKind kind : kCountKinds) {
    for (const Shape& shape : shapes_)
      hash = absl::HashOf(hash, shape.counts[Index(kind)].levels.back());
    for (size_t column = 0; column < columns_in_use_; ++column)
      hash = absl::HashOf(hash, columns_[column].name, columns_[column].leaves,
                          columns_[column].room[Index(kind)]);
  }
  return hash;
}

int32_t PlacementSnapshot::CountOn(int32_t leaf, const Shape& shape) const {
  int32_t count = kMaxLeafCount;
  for (const Part& part : shape.parts)
    count = Fits(RoomOn(columns_[part.column], CountKind::kNow, leaf), part.amount, count);
  return count;
}

int64_t PlacementSnapshot::AmountOf(const Shape& shape, size_t column) {
  for (const Part& part : shape.parts) {
    if (part.column == column) return part.amount;
  }
  return 0;
}

// By itself alone as many fit as are counted there, so only what others ask for, too, is looked at.
int32_t PlacementSnapshot::FitBeside(int32_t leaf, CountKind kind, size_t shape,
                                     std::span<const int32_t> taken) const {
  const int32_t own = Counts(shape, kind).levels.back()[leaf];
  if (own == 0) return 0;
  // Cut to its end it does not tell what is left of it.
  if (own == kMaxLeafCount) return CountBeside(leaf, kind, shape, taken);
  int32_t count = std::max(own - std::max(taken[shape], 0), 0);
  for (size_t k = 0; k < shared_.size() && count > 0; ++k) {
    const int64_t* amounts = &shared_amounts_[k * shapes_.size()];
    if (amounts[shape] == 0) continue;
    WideAmount room = RoomOn(columns_[shared_[k]], kind, leaf);
    for (size_t i = 0; i < taken.size(); ++i) {
      if (taken[i] > 0) room -= WideAmount{amounts[i]} * taken[i];
    }
    count = Fits(Narrow(std::max(room, WideAmount{0})), amounts[shape], count);
  }
  return count;
}

int32_t PlacementSnapshot::CountBeside(int32_t leaf, CountKind kind, size_t shape,
                                       std::span<const int32_t> taken) const {
  int32_t count = kMaxLeafCount;
  for (const Part& part : shapes_[shape].parts) {
    WideAmount room = RoomOn(columns_[part.column], kind, leaf);
    for (size_t i = 0; i < taken.size(); ++i) {
      if (taken[i] > 0) room -= WideAmount{AmountOf(shapes_[i], part.column)} * taken[i];
    }
    count = Fits(Narrow(std::max(room, WideAmount{0})), part.amount, count);
  }
  return count;
}

void PlacementSnapshot::LimitBeside(CountKind kind, size_t shape, std::span<const int32_t> taken,
                                    std::span<int32_t> counts) const {
  for (const Part& part : shapes_[shape].parts) {
    WideAmount gone = 0;
    for (size_t i = 0; i < taken.size(); ++i)
      gone += WideAmount{AmountOf(shapes_[i], part.column)} * taken[i];
    if (gone == 0) continue;
    Limit(columns_[part.column], kind, part.amount, gone, counts);
  }
}

}  // namespace gangplan
