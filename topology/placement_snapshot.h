// What a placement of some shapes needs of the model, as it is at one moment: the tree, the counts,
// and how the shapes fit beside each other on a leaf. Flat copies, so that a long solve runs beside
// the model's owner and later changes of the model do not show.
//
// A resource that few nodes name takes memory for these alone.
//
// Cost of Take at 51,200 nodes, two shapes of four resources: 4 MB copied, 0.3 ms (one shape: 0.02
// ms) into memory that an earlier one left, up to ten times that into memory that is fresh from the
// system. So one object is used again and again. Counts that were never read are made first, as
// Model::Counts does.
//
// Thread rule: Take is a read of the model and a change of this; const reads from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "topology/fit_counts.h"
#include "topology/model.h"
#include "topology/resource_table.h"
#include "topology/tree.h"

namespace gangplan {

class PlacementSnapshot {
 public:
  // Replaces what this was. Below, a shape is its place in `shapes`, which are of one topology; its
  // tree is that of the snapshot. `gives_back`: leaves may give
  // room back (Freed), also where one shape alone is asked for.
  void Take(const Model& model, std::span<const ShapeId> shapes, bool gives_back = false);

  // --- Room that may come free, for questions of what would fit then. REQUIRES: `gives_back`.
  // What of these requests the shapes ask for: an amount a column.
  std::vector<int64_t> AmountsOf(const ResourceList& requests) const;
  // Members of the shape may stand on the leaf, where there is room: as Model::MayUse.
  bool MayUse(size_t shape, int32_t leaf) const {
    return shapes_[shape].may_use[static_cast<size_t>(leaf)] != 0;
  }
  // So many times these amounts are free on the leaf beside what is; less than 0: are so no more.
  // O(shapes x (columns + depth)).
  void Freed(int32_t leaf, std::span<const int64_t> amounts, int64_t times);

  // The same for the same room, of the same tree, in this process. O(leaves x (shapes + columns)).
  uint64_t Fingerprint() const;

  const Tree& tree() const { return *tree_; }
  TopologyIndex topology() const { return topology_; }
  // As Model::Counts and Model::EmptyCounts.
  const FitCounts& Counts(size_t shape, CountKind kind) const {
    return shapes_[shape].counts[static_cast<size_t>(kind)];
  }
  // As Model::FitBeside, beside taken[i] members of each shape i. O(shared resources x shapes),
  // which FitWork tells. REQUIRES: several shapes.
  int32_t FitBeside(int32_t leaf, CountKind kind, size_t shape,
                    std::span<const int32_t> taken) const;
  // What one FitBeside costs, in those of shapes that ask for a few resources together.
  int64_t FitWork() const { return FitWork(static_cast<int64_t>(shared_amounts_.size())); }
  // Of so many amounts that are looked at.
  static int64_t FitWork(int64_t amounts) { return 1 + amounts / 64; }
  // As Model::LimitBeside.
  void LimitBeside(CountKind kind, size_t shape, std::span<const int32_t> taken,
                   std::span<int32_t> counts) const;

 private:
  // What one member asks for of the resource of a column.
  struct Part {
    size_t column = 0;
    int64_t amount = 0;
  };
  struct Shape {
    std::array<FitCounts, 2> counts;  // by kind
    std::vector<Part> parts;
    std::vector<uint8_t> may_use;  // by leaf, where these may give room back; 0: it may not
  };
  // What there is of a resource, less than 0 where more is used than there is.
  struct Column {
    InternedAmount of;                         // its resource
    std::string name;                          // likewise
    bool few = false;                          // few leaves have another amount than the implied
    std::array<std::vector<int64_t>, 2> room;  // by kind, and by node index; of few as `leaves`
    std::vector<int32_t> leaves;               // of few: those, ascending
  };

  // `of_node`: by node index, bits of usable_nodes.h.
  void TakeUsable(const std::vector<uint8_t>& of_node, Shape& shape) const;
  void TakeParts(const Model& model, ShapeId id, Shape& shape);
  void TakeShared();
  // The column of a resource, a new one when there is none. O(1).
  size_t ColumnOf(const Model& model, const InternedAmount& part);
  void FillColumn(size_t column, const Model& model);
  int64_t RoomOn(const Column& column, CountKind kind, int32_t leaf) const;
  // For a change. O(1), where few leaves have it O(those).
  int64_t& RoomNow(Column& column, int32_t leaf);
  // Lowers the counts of the leaves to what is there without `gone`.
  void Limit(const Column& column, CountKind kind, int64_t amount, WideAmount gone,
             std::span<int32_t> counts) const;
  static int64_t AmountOf(const Shape& shape, size_t column);  // 0: not asked for
  int32_t CountOn(int32_t leaf, const Shape& shape) const;     // now, by the columns alone
  int32_t CountBeside(int32_t leaf, CountKind kind, size_t shape,
                      std::span<const int32_t> taken) const;

  TopologyIndex topology_ = 0;
  std::shared_ptr<const Tree> tree_ = std::make_shared<const Tree>();
  std::vector<Shape> shapes_;
  std::vector<NodeIndex> leaf_nodes_;
  size_t columns_in_use_ = 0;
  std::vector<Column> columns_;  // those beyond keep their memory for another time
  absl::flat_hash_map<ResourceId, size_t> column_of_;
  // Columns that several shapes ask for, and of each what each shape does, 0 where it does not.
  std::vector<size_t> shared_;
  std::vector<int64_t> shared_amounts_;
};

}  // namespace gangplan
