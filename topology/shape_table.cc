#include "topology/shape_table.h"

#include <algorithm>
#include <limits>

#include "absl/hash/hash.h"
#include "topology/base/check.h"
#include "topology/usable_nodes.h"

namespace gangplan {
namespace {

constexpr CountKind kKinds[] = {CountKind::kNow, CountKind::kEmpty};

constexpr uint8_t Bit(CountKind kind) {
  return kind == CountKind::kNow ? kUsableNow : kUsableAtBest;
}

// How often `amount` fits into `room`, `most` at most. REQUIRES: amount > 0, most <= kMaxLeafCount.
int32_t Fits(int64_t room, int64_t amount, int32_t most) {
  if (room >= WideAmount{amount} * most) return most;
  return room < amount ? 0 : static_cast<int32_t>(room / amount);
}

// What `members` of a demand ask for of one resource.
WideAmount AmountOf(std::span<const InternedAmount> demand, ResourceId resource, int32_t members) {
  for (const InternedAmount& part : demand) {
    if (part.resource == resource) return WideAmount{part.amount} * members;
  }
  return 0;
}

int64_t Room(const NodeRecord& record, ResourceId resource, CountKind kind) {
  const NodeAmount* amount = record.Find(resource);
  if (amount == nullptr) return 0;
  if (kind == CountKind::kEmpty) return amount->allocatable;
  constexpr WideAmount kMax = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp(amount->free(), WideAmount{0}, kMax));
}

// How many times `demand` fits, capped; a demand of nothing fits as often as the cap says.
int32_t FitCount(const NodeRecord& record, std::span<const InternedAmount> demand, CountKind kind) {
  int32_t count = kMaxLeafCount;
  for (const InternedAmount& part : demand) {
    if (part.amount > 0) count = Fits(Room(record, part.resource, kind), part.amount, count);
  }
  return count;
}

// Lowers the counts of the leaves to what one part of a demand lets in.
void LimitLeaves(const NodeTable& nodes, const std::vector<NodeIndex>& leaf_nodes,
                 const InternedAmount& part, CountKind kind, std::vector<int32_t>& leaves) {
  const AmountColumn* column = nodes.columns().Find(part.resource);
  if (column == nullptr) {
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      if (leaves[leaf] == 0) continue;
      const int64_t room = Room(nodes.at(leaf_nodes[leaf]), part.resource, kind);
      leaves[leaf] = Fits(room, part.amount, leaves[leaf]);
    }
    return;
  }
  const int64_t* room = (kind == CountKind::kNow ? column->free : column->allocatable).data();
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
    leaves[leaf] = Fits(room[leaf_nodes[leaf]], part.amount, leaves[leaf]);
}

}  // namespace

ShapeId ShapeTable::Acquire(const ResourceList& demand, const NodeFilter& filter,
                            DemandTable& demands, ResourceTable& resources) {
  DemandId id = demands.Acquire(demand, resources);
  size_t hash = absl::HashOf(id, filter);
  auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    Shape& known = shapes_[it->second];
    if (known.demand != id || known.filter != filter) continue;
    demands.Release(id, resources);
    ++known.users;
    return it->second;
  }
  auto shape = static_cast<ShapeId>(shapes_.size());
  if (unused_.empty()) {
    shapes_.emplace_back();
  } else {
    shape = unused_.back();
    unused_.pop_back();
  }
  Shape& fresh = shapes_[shape];
  fresh.demand = id;
  fresh.filter = filter;
  fresh.hash = hash;
  fresh.users = 1;
  by_hash_.emplace(hash, shape);
  return shape;
}

void ShapeTable::Release(ShapeId shape, DemandTable& demands, ResourceTable& resources) {
  Shape& entry = shapes_[shape];
  GANGPLAN_CHECK(entry.users > 0);
  if (--entry.users == 0 && !entry.cached) Forget(shape, demands, resources);
}

void ShapeTable::Forget(ShapeId shape, DemandTable& demands, ResourceTable& resources) {
  Shape& entry = shapes_[shape];
  auto [begin, end] = by_hash_.equal_range(entry.hash);
  by_hash_.erase(std::find_if(begin, end, [&](const auto& item) { return item.second == shape; }));
  demands.Release(entry.demand, resources);
  entry = {};
  unused_.push_back(shape);
}

std::vector<ShapeId> ShapeTable::WithUsers() const {
  std::vector<ShapeId> result;
  for (size_t i = 0; i < shapes_.size(); ++i) {
    if (shapes_[i].users > 0) result.push_back(static_cast<ShapeId>(i));
  }
  return result;
}

void ShapeTable::Touch(ShapeId shape, const ShapeContext& context) {
  Shape& entry = shapes_[shape];
  entry.last_read = ++reads_;
  if (entry.cached) return;
  entry.cached = true;
  cached_.push_back(shape);
  context.nodes.KeepLabels(AskedLabels(entry.filter));
  entry.usable = UsableNodes(context.nodes, entry.filter);
}

const FitCounts& ShapeTable::Counts(ShapeId shape, CountKind kind, const Tree& tree,
                                    const std::vector<NodeIndex>& leaf_nodes,
                                    const ShapeContext& context) {
  Touch(shape, context);
  Shape& entry = shapes_[shape];
  auto& [valid, counts] = entry.of(kind);
  if (valid) return counts;
  counts.levels.resize(tree.level_count());
  std::vector<int32_t>& leaves = counts.levels.back();
  leaves.resize(leaf_nodes.size());
  for (size_t leaf = 0; leaf < leaf_nodes.size(); ++leaf)
    leaves[leaf] = entry.usable[leaf_nodes[leaf]] & Bit(kind) ? kMaxLeafCount : 0;
  for (const InternedAmount& part : context.demands.amounts(entry.demand)) {
    if (part.amount > 0) LimitLeaves(context.nodes, leaf_nodes, part, kind, leaves);
  }
  counts.RollUp(tree);
  valid = true;
  return counts;
}

int32_t ShapeTable::CountBeside(ShapeId shape, CountKind kind, NodeIndex node,
                                std::span<const ShapeId> beside, std::span<const int32_t> taken,
                                const ShapeContext& context) const {
  const Shape& entry = shapes_[shape];
  const NodeRecord& record = context.nodes.at(node);
  const uint8_t usable = entry.cached ? entry.usable[node] : UsableBits(record, entry.filter);
  if ((usable & Bit(kind)) == 0) return 0;
  int32_t count = kMaxLeafCount;
  for (const InternedAmount& part : context.demands.amounts(entry.demand)) {
    if (part.amount <= 0) continue;
    WideAmount room = Room(record, part.resource, kind);
    for (size_t i = 0; i < beside.size(); ++i) {
      if (taken[i] > 0)
        room -= AmountOf(context.demands.amounts(demand(beside[i])), part.resource, taken[i]);
    }
    count = Fits(static_cast<int64_t>(std::max(room, WideAmount{0})), part.amount, count);
  }
  return count;
}

void ShapeTable::FactsChanged(NodeIndex node, const Tree* tree, const ShapeContext& context) {
  const NodeRecord& record = context.nodes.at(node);
  const bool in_tree = tree != nullptr && record.leaf >= 0;
  for (ShapeId shape : cached_) {
    Shape& entry = shapes_[shape];
    if (static_cast<size_t>(node) >= entry.usable.size()) entry.usable.resize(context.nodes.size());
    entry.usable[node] = UsableBits(record, entry.filter);
    if (!in_tree) continue;
    for (CountKind kind : kKinds) Recount(entry, kind, node, *tree, context);
  }
}

void ShapeTable::UsageChanged(NodeIndex node, const Tree& tree, const ShapeContext& context) {
  for (ShapeId shape : cached_) Recount(shapes_[shape], CountKind::kNow, node, tree, context);
}

void ShapeTable::Recount(Shape& shape, CountKind kind, NodeIndex node, const Tree& tree,
                         const ShapeContext& context) {
  auto& [valid, counts] = shape.of(kind);
  if (!valid) return;
  const NodeRecord& record = context.nodes.at(node);
  const bool usable = shape.usable[node] & Bit(kind);
  const auto demand = context.demands.amounts(shape.demand);
  counts.SetLeaf(tree, record.leaf, usable ? FitCount(record, demand, kind) : 0);
}

void ShapeTable::DropCounts() {
  for (ShapeId shape : cached_) {
    for (CountKind kind : kKinds) shapes_[shape].of(kind).valid = false;
  }
}

void ShapeTable::Trim(NodeTable& nodes, DemandTable& demands, ResourceTable& resources) {
  while (cached_.size() > kMaxCountedShapes) {
    auto oldest = std::min_element(cached_.begin(), cached_.end(), [&](ShapeId a, ShapeId b) {
      return shapes_[a].last_read < shapes_[b].last_read;
    });
    Shape& entry = shapes_[*oldest];
    nodes.ReleaseLabels(AskedLabels(entry.filter));
    entry.cached = false;
    entry.usable = {};
    entry.kept = {};
    if (entry.users == 0) Forget(*oldest, demands, resources);
    cached_.erase(oldest);
  }
}

}  // namespace gangplan
