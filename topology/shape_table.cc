#include "topology/shape_table.h"

#include <algorithm>
#include <limits>

#include "absl/hash/hash.h"
#include "topology/base/check.h"
#include "topology/node_filter.h"

namespace gangplan {
namespace {

constexpr uint8_t kNow = 1;
constexpr uint8_t kAtBest = 2;

uint8_t UsableBits(const NodeRecord& record, const NodeFilter& filter) {
  if (!MayUseAtBest(record, filter)) return 0;
  return MayUseNow(record, filter) ? kNow | kAtBest : kAtBest;
}

// How many times `demand` fits, capped; a demand of nothing fits as often as the cap says.
int32_t FitCount(const NodeRecord& record, std::span<const InternedAmount> demand, uint8_t kind) {
  int64_t count = kMaxLeafCount;
  for (const InternedAmount& part : demand) {
    if (part.amount <= 0) continue;
    const NodeAmount* amount = record.Find(part.resource);
    if (amount == nullptr) return 0;
    WideAmount room = kind == kNow ? amount->free() : amount->allocatable;
    if (room < part.amount) return 0;
    constexpr WideAmount kMax = std::numeric_limits<int64_t>::max();
    count = std::min(count, static_cast<int64_t>(std::min(room, kMax)) / part.amount);
  }
  return static_cast<int32_t>(count);
}

void RollUp(const Tree& tree, FitCounts& counts) {
  for (int level = tree.leaf_level(); level > 0; --level) {
    std::vector<int32_t>& above = counts.levels[level - 1];
    above.assign(tree.size(level - 1), 0);
    for (int32_t i = 0; i < tree.size(level); ++i)
      above[tree.parent(level, i)] += counts.levels[level][i];
  }
}

void SetLeaf(const Tree& tree, int32_t leaf, int32_t count, FitCounts& counts) {
  int32_t delta = count - counts.levels[tree.leaf_level()][leaf];
  if (delta == 0) return;
  int32_t index = leaf;
  for (int level = tree.leaf_level(); level >= 0; --level) {
    counts.levels[level][index] += delta;
    index = tree.parent(level, index);
  }
}

}  // namespace

bool MayUseNow(const NodeRecord& record, const NodeFilter& filter) {
  return record.exists && record.facts.ready && MatchesSelector(filter, record.facts) &&
         ToleratesTaints(filter, record.facts);
}

bool MayUseAtBest(const NodeRecord& record, const NodeFilter& filter) {
  return record.exists && MatchesSelector(filter, record.facts) &&
         ToleratesLastingTaints(filter, record.facts);
}

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
  entry.usable.resize(context.nodes.size());
  for (NodeIndex node = 0; node < context.nodes.size(); ++node)
    entry.usable[node] = UsableBits(context.nodes.at(node), entry.filter);
}

const FitCounts& ShapeTable::Counts(ShapeId shape, const Tree& tree,
                                    const std::vector<NodeIndex>& leaf_nodes,
                                    const ShapeContext& context) {
  Touch(shape, context);
  Shape& entry = shapes_[shape];
  if (entry.now_valid) return entry.now;
  std::span<const InternedAmount> demand = context.demands.amounts(entry.demand);
  entry.now.levels.resize(tree.level_count());
  std::vector<int32_t>& leaves = entry.now.levels.back();
  leaves.assign(leaf_nodes.size(), 0);
  for (size_t leaf = 0; leaf < leaf_nodes.size(); ++leaf) {
    NodeIndex node = leaf_nodes[leaf];
    if (entry.usable[node] & kNow) leaves[leaf] = FitCount(context.nodes.at(node), demand, kNow);
  }
  RollUp(tree, entry.now);
  entry.now_valid = true;
  return entry.now;
}

const FitCounts& ShapeTable::EmptyCounts(ShapeId shape, const Tree& tree,
                                         const std::vector<NodeIndex>& leaf_nodes,
                                         const ShapeContext& context) {
  Touch(shape, context);
  Shape& entry = shapes_[shape];
  if (entry.empty_valid) return entry.empty;
  std::span<const InternedAmount> demand = context.demands.amounts(entry.demand);
  entry.empty.levels.resize(tree.level_count());
  std::vector<int32_t>& leaves = entry.empty.levels.back();
  leaves.assign(leaf_nodes.size(), 0);
  for (size_t leaf = 0; leaf < leaf_nodes.size(); ++leaf) {
    NodeIndex node = leaf_nodes[leaf];
    if (entry.usable[node] & kAtBest)
      leaves[leaf] = FitCount(context.nodes.at(node), demand, kAtBest);
  }
  RollUp(tree, entry.empty);
  entry.empty_valid = true;
  return entry.empty;
}

void ShapeTable::FactsChanged(NodeIndex node, const Tree* tree, const ShapeContext& context) {
  const NodeRecord& record = context.nodes.at(node);
  for (ShapeId shape : cached_) {
    Shape& entry = shapes_[shape];
    if (static_cast<size_t>(node) >= entry.usable.size()) entry.usable.resize(context.nodes.size());
    entry.usable[node] = UsableBits(record, entry.filter);
    if (tree == nullptr || record.leaf < 0 || !entry.empty_valid) continue;
    bool usable = entry.usable[node] & kAtBest;
    std::span<const InternedAmount> demand = context.demands.amounts(entry.demand);
    SetLeaf(*tree, record.leaf, usable ? FitCount(record, demand, kAtBest) : 0, entry.empty);
  }
  if (tree != nullptr && record.leaf >= 0) UsageChanged(node, *tree, context);
}

void ShapeTable::UsageChanged(NodeIndex node, const Tree& tree, const ShapeContext& context) {
  const NodeRecord& record = context.nodes.at(node);
  for (ShapeId shape : cached_) {
    Shape& entry = shapes_[shape];
    if (!entry.now_valid) continue;
    bool usable = entry.usable[node] & kNow;
    std::span<const InternedAmount> demand = context.demands.amounts(entry.demand);
    SetLeaf(tree, record.leaf, usable ? FitCount(record, demand, kNow) : 0, entry.now);
  }
}

void ShapeTable::DropCounts() {
  for (ShapeId shape : cached_) {
    shapes_[shape].now_valid = false;
    shapes_[shape].empty_valid = false;
  }
}

void ShapeTable::Trim(DemandTable& demands, ResourceTable& resources) {
  while (cached_.size() > kMaxCountedShapes) {
    auto oldest = std::min_element(cached_.begin(), cached_.end(), [&](ShapeId a, ShapeId b) {
      return shapes_[a].last_read < shapes_[b].last_read;
    });
    Shape& entry = shapes_[*oldest];
    entry.cached = entry.now_valid = entry.empty_valid = false;
    entry.usable = {};
    entry.now = {};
    entry.empty = {};
    if (entry.users == 0) Forget(*oldest, demands, resources);
    cached_.erase(oldest);
  }
}

}  // namespace gangplan
