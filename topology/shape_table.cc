#include "topology/shape_table.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/hash/hash.h"
#include "topology/base/check.h"
#include "topology/usable_nodes.h"

namespace gangplan {
namespace {

// To count all nodes anew costs as much as to look at one in so many of them one by one.
constexpr size_t kNodesPerLook = 8;
// Parts of a demand that are held against a leaf in the time that one leaf is reckoned at.
constexpr int64_t kPartsPerLook = 8;
// Shapes that may be counted beyond the limit before those that are too many are looked for.
constexpr size_t kShapesPerTrim = kMaxCountedShapes / 8;

constexpr uint8_t Bit(CountKind kind) {
  return kind == CountKind::kNow ? kUsableNow : kUsableAtBest;
}

// What `members` of a demand ask for of one resource.
WideAmount AmountOf(std::span<const InternedAmount> demand, ResourceId resource, int32_t members) {
  for (const InternedAmount& part : demand) {
    if (part.resource == resource) return WideAmount{part.amount} * members;
  }
  return 0;
}

// How many times `demand` fits, capped; a demand of nothing fits as often as the cap says.
int32_t FitCount(const NodeRecord& record, std::span<const InternedAmount> demand, CountKind kind) {
  int32_t count = kMaxLeafCount;
  for (const InternedAmount& part : demand) {
    if (count == 0) break;
    if (part.amount > 0) count = Fits(record.Room(part, kind), part.amount, count);
  }
  return count;
}

// Lowers the counts of the leaves to what one part of a demand lets in where `gone` is taken; its
// resource is one that few nodes name.
void LimitByFew(const ShapeContext& context, const InternedAmount& part, CountKind kind,
                WideAmount gone, std::span<int32_t> leaves) {
  const auto fits = [&](int64_t room, int32_t most) {
    return Fits(Narrow(std::max(WideAmount{room} - gone, WideAmount{0})), part.amount, most);
  };
  std::vector<std::pair<int32_t, int32_t>> carriers;  // leaf and count
  for (NodeIndex node : context.nodes.columns().Carriers(part.resource)) {
    const int32_t leaf = context.LeafOf(node);
    if (leaf < 0) continue;
    carriers.emplace_back(leaf, fits(context.nodes.at(node).Room(part, kind), leaves[leaf]));
  }
  for (int32_t& count : leaves) count = fits(part.implied, count);
  for (const auto& [leaf, count] : carriers) leaves[leaf] = count;
}

// Of any resource.
void LimitLeaves(const ShapeContext& context, const InternedAmount& part, CountKind kind,
                 WideAmount gone, std::span<int32_t> leaves) {
  const AmountColumn* column = context.nodes.columns().Find(part.resource);
  if (column == nullptr) return LimitByFew(context, part, kind, gone, leaves);
  const auto& room = kind == CountKind::kNow ? column->free : column->allocatable;
  LimitToRoom(room, context.leaf_nodes, part.amount, gone, leaves);
}

// What there is of a part, without a look at the record where the resource is common. Less than 0
// where more is promised or used than there is.
WideAmount RoomOf(const NodeTable& nodes, NodeIndex node, const InternedAmount& part,
                  CountKind kind) {
  const AmountColumn* column = nodes.columns().Find(part.resource);
  if (column != nullptr)
    return kind == CountKind::kEmpty ? column->allocatable[node] : column->free[node];
  const NodeRecord& record = nodes.at(node);
  return kind == CountKind::kEmpty ? record.Room(part, kind) : record.Free(part);
}

bool SomeGrew(const std::vector<int32_t>& before, const std::vector<int32_t>& after) {
  for (size_t i = 0; i < after.size(); ++i) {
    if (after[i] > before[i]) return true;
  }
  return false;
}

// One shape fits once more only where its count grew; several may, also where no count did.
GainKind KindFor(std::span<const ShapeId> together) {
  return together.size() == 1 ? GainKind::kCount : GainKind::kRoom;
}

}  // namespace

ShapeId ShapeTable::Acquire(TopologyIndex topology, const ResourceList& demand,
                            const NodeFilter& filter, DemandTable& demands,
                            ResourceTable& resources) {
  DemandId id = demands.Acquire(demand, resources);
  size_t hash = absl::HashOf(topology, id, filter);
  auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    Shape& known = shapes_[it->second];
    const bool same = known.topology == topology && known.demand == id && known.filter == filter;
    if (!same) continue;
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
  fresh.topology = topology;
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
  if (entry.cached) return CatchUp(entry, context);
  entry.cached = true;
  cached_.push_back(shape);
  if (cached_.size() > kMaxCountedShapes + kShapesPerTrim) Trim(context.demands, context.resources);
  entry.usable = Usable(entry, context);
  entry.gains.Forget(gain_version(), GainKind::kCount);
  entry.seen = changes_.position();
}

const FitCounts& ShapeTable::Counts(ShapeId shape, CountKind kind, const ShapeContext& context) {
  Touch(shape, context);
  Shape& entry = shapes_[shape];
  auto& [valid, counts] = entry.of(kind);
  if (valid) return counts;
  counts.levels.resize(context.tree.level_count());
  counts.levels.back() = CountLeaves(entry, kind, context);
  counts.RollUp(context.tree);
  valid = true;
  return counts;
}

std::vector<uint8_t> ShapeTable::Usable(const Shape& shape, const ShapeContext& context) {
  work_ += int64_t{context.nodes.size()} / 2 * (1 + RequirementsOf(shape.filter));
  return UsableNodes(context.nodes, shape.filter);
}

std::vector<int32_t> ShapeTable::CountLeaves(const Shape& shape, CountKind kind,
                                             const ShapeContext& context) {
  const auto size = static_cast<int64_t>(context.leaf_nodes.size());
  work_ += size;
  std::vector<int32_t> leaves(context.leaf_nodes.size());
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
    leaves[leaf] = shape.usable[context.leaf_nodes[leaf]] & Bit(kind) ? kMaxLeafCount : 0;
  int64_t parts = 0;
  for (const InternedAmount& part : context.demands.amounts(shape.demand)) {
    if (part.amount <= 0) continue;
    if (++parts % kPartsPerLook == 0) {
      if (std::all_of(leaves.begin(), leaves.end(), [](int32_t count) { return count == 0; }))
        break;
      work_ += size;
    }
    LimitLeaves(context, part, kind, 0, leaves);
  }
  return leaves;
}

int32_t ShapeTable::CountBeside(ShapeId shape, CountKind kind, NodeIndex node,
                                std::span<const ShapeId> beside, std::span<const int32_t> taken,
                                const ShapeContext& context) {
  Shape& entry = shapes_[shape];
  if (entry.cached) CatchUp(entry, context);
  const uint8_t usable =
      entry.cached ? entry.usable[node] : UsableBits(context.nodes.at(node), entry.filter);
  if ((usable & Bit(kind)) == 0) return 0;
  // By resource, ascending.
  absl::InlinedVector<std::pair<ResourceId, WideAmount>, 16> gone;
  for (size_t i = 0; i < beside.size(); ++i) {
    if (taken[i] == 0) continue;
    for (const InternedAmount& part : context.demands.amounts(demand(beside[i])))
      gone.emplace_back(part.resource, WideAmount{part.amount} * taken[i]);
  }
  std::sort(gone.begin(), gone.end());
  const auto own = context.demands.amounts(entry.demand);
  work_ += static_cast<int64_t>(gone.size() + own.size()) / kPartsPerLook;
  int32_t count = kMaxLeafCount;
  for (const InternedAmount& part : own) {
    if (part.amount <= 0) continue;
    if (count == 0) break;
    WideAmount room = RoomOf(context.nodes, node, part, kind);
    auto other = std::lower_bound(gone.begin(), gone.end(), part.resource,
                                  [](const auto& one, ResourceId id) { return one.first < id; });
    for (; other != gone.end() && other->first == part.resource; ++other) room -= other->second;
    count = Fits(Narrow(std::max(room, WideAmount{0})), part.amount, count);
  }
  return count;
}

void ShapeTable::LimitBeside(ShapeId shape, CountKind kind, std::span<const ShapeId> beside,
                             std::span<const int32_t> taken, std::span<int32_t> counts,
                             const ShapeContext& context) const {
  for (const InternedAmount& part : context.demands.amounts(demand(shape))) {
    WideAmount gone = 0;
    for (size_t i = 0; i < beside.size(); ++i)
      gone += AmountOf(context.demands.amounts(demand(beside[i])), part.resource, taken[i]);
    if (part.amount > 0 && gone != 0) LimitLeaves(context, part, kind, gone, counts);
  }
}

void ShapeTable::CatchUp(Shape& shape, const ShapeContext& context) {
  if (shape.seen == changes_.position()) return;
  shape.usable.resize(context.nodes.size());
  const size_t changed = changes_.MostAfter(shape.seen);
  if (changed > kMaxGains && changed * kNodesPerLook > shape.usable.size()) {
    CatchUpAll(shape, context);
  } else {
    changes_.VisitAfter(
        shape.seen, [&](const ChangeLog::Change& change) { CatchUpNode(shape, change, context); });
  }
  shape.seen = changes_.position();
}

void ShapeTable::CatchUpAll(Shape& shape, const ShapeContext& context) {
  shape.usable = Usable(shape, context);
  GainKind gain = GainKind::kRoom;
  for (CountKind kind : kCountKinds) {
    auto& [valid, counts] = shape.of(kind);
    if (!valid) {
      gain = GainKind::kCount;
      continue;
    }
    std::vector<int32_t> leaves = CountLeaves(shape, kind, context);
    if (SomeGrew(counts.levels.back(), leaves)) gain = GainKind::kCount;
    counts.levels.back() = std::move(leaves);
    counts.RollUp(context.tree);
  }
  if (gain_version() > shape.seen) shape.gains.Forget(gain_version(), gain);
}

void ShapeTable::CatchUpNode(Shape& shape, const ChangeLog::Change& change,
                             const ShapeContext& context) {
  const auto parts = static_cast<int64_t>(context.demands.amounts(shape.demand).size());
  work_ += kNodesPerLook + parts / kPartsPerLook;
  uint8_t& usable = shape.usable[change.node];
  if (change.facts) {
    work_ += RequirementsOf(shape.filter);
    usable = UsableBits(context.nodes.at(change.node), shape.filter);
  }
  bool grew = false;
  for (CountKind kind : kCountKinds) grew |= Recount(shape, kind, change, context);
  if (!change.freed || usable == 0 || !context.Has(change.node)) return;
  shape.gains.Note(gain_version(), change.node, grew ? GainKind::kCount : GainKind::kRoom);
}

bool ShapeTable::Recount(Shape& shape, CountKind kind, const ChangeLog::Change& change,
                         const ShapeContext& context) {
  if (kind == CountKind::kEmpty && !change.facts) return false;
  const bool usable = shape.usable[change.node] & Bit(kind);
  auto& [valid, counts] = shape.of(kind);
  if (!valid) return usable;
  const int32_t leaf = context.LeafOf(change.node);
  if (leaf < 0) return false;
  const auto demand = context.demands.amounts(shape.demand);
  const int32_t before = counts.levels.back()[leaf];
  const int32_t count = usable ? FitCount(context.nodes.at(change.node), demand, kind) : 0;
  counts.SetLeaf(context.tree, leaf, count);
  return count > before;
}

void ShapeTable::LevelsChanged(TopologyIndex topology) {
  changes_.NoteFreed();
  levels_changed_ = gain_version();
  DropCounts(topology);
}

uint64_t ShapeTable::Gain(std::span<const ShapeId> together, const ShapeContext& context) {
  uint64_t gain = levels_changed_;
  for (ShapeId shape : together) {
    if (!shapes_[shape].cached) return gain_version();
    Touch(shape, context);
    gain = std::max(gain, shapes_[shape].gains.last(KindFor(together)));
  }
  return gain;
}

std::optional<std::vector<NodeIndex>> ShapeTable::GainedNodes(std::span<const ShapeId> together,
                                                              uint64_t since,
                                                              const ShapeContext& context) {
  std::vector<NodeIndex> nodes;
  if (Gain(together, context) <= since) return nodes;
  if (levels_changed_ > since) return std::nullopt;
  for (ShapeId shape : together) {
    const Shape& entry = shapes_[shape];
    if (!entry.cached || entry.gains.known_since() > since) return std::nullopt;
    entry.gains.AppendNodes(since, KindFor(together), nodes);
  }
  return nodes;
}

void ShapeTable::DropCounts(TopologyIndex topology) {
  for (ShapeId shape : cached_) {
    if (shapes_[shape].topology != topology) continue;
    for (CountKind kind : kCountKinds) shapes_[shape].of(kind).valid = false;
  }
}

void ShapeTable::Trim(DemandTable& demands, ResourceTable& resources) {
  if (cached_.size() <= kMaxCountedShapes) return;
  const auto kept = cached_.begin() + kMaxCountedShapes;
  std::nth_element(cached_.begin(), kept, cached_.end(), [&](ShapeId a, ShapeId b) {
    return shapes_[a].last_read > shapes_[b].last_read;
  });
  for (auto old = kept; old != cached_.end(); ++old) {
    Shape& entry = shapes_[*old];
    entry.cached = false;
    entry.usable = {};
    entry.kept = {};
    entry.gains = {};
    if (entry.users == 0) Forget(*old, demands, resources);
  }
  cached_.erase(kept, cached_.end());
}

}  // namespace gangplan
