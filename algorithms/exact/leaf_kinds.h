// Leaves that hold as many with each load are one kind, and a lowest domain is told by how many it
// has of each.
//
//   room for 8, 8, 4 and 0 workers, or 7, 7, 4 and none beside a leader: kinds (8, 7), (4, 4) and
//   (0, none), of which a rack of these leaves has 2, 1 and 1
//
// Built at once, a look at each leaf; const reads from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "algorithms/exact/loads.h"
#include "topology/tree.h"

namespace gangplan::exact {

class LeafKinds {
 public:
  // The most members of a leaf with each load, those of the load included.
  using Row = std::array<int32_t, Loads::kMostLoads>;
  // The load does not fit: less than any sum of members, whatever is added.
  static constexpr int32_t kFar = INT32_MIN / 4;

  // Leaves of one kind in a domain.
  struct Entry {
    int32_t kind = 0;
    int32_t count = 0;
    std::array<int32_t, Loads::kMostPods> leaves = {};  // the first ones, as far as there are
  };

  // What each leaf of the tree holds of the main shape beside a load, and less than 0 where it does
  // not fit; a list for each load, the first one for none.
  using Rooms = std::array<std::span<const int32_t>, Loads::kMostLoads>;
  // A leaf with its row, which is not what the rooms say.
  struct Apart {
    int32_t leaf = 0;
    Row row = {};
  };
  // pods[load]: those of the load, which count as members; no leaf has more than `most` of these.
  // Those of `apart`, by leaf, are each a kind of their own.
  LeafKinds(const Tree& tree, const Rooms& rooms, std::span<const int32_t> pods, int32_t most,
            std::span<const Apart> apart);

  int32_t count() const { return static_cast<int32_t>(rows_.size()); }
  // Kinds come by what they hold without a load, the most first.
  const Row& row(int32_t kind) const { return rows_[static_cast<size_t>(kind)]; }
  int32_t kind(int32_t leaf) const { return kind_[static_cast<size_t>(leaf)]; }
  int32_t first_leaf(int32_t kind) const { return first_leaf_[static_cast<size_t>(kind)]; }
  // Of a domain of the level above the leaves, or of all where there is none; by kind.
  std::span<const Entry> in(int32_t domain) const {
    const auto at = static_cast<size_t>(domain);
    return std::span(entries_).subspan(begin_[at], begin_[at + 1] - begin_[at]);
  }

 private:
  void FindKinds(const Rooms& rooms, std::span<const int32_t> pods, int32_t most,
                 std::span<const Apart> apart);
  template <size_t kLoads>
  void FindKindsOf(const Rooms& rooms, std::span<const int32_t> pods, int32_t most,
                   std::span<const Apart> apart);
  int32_t KindOf(Row row, size_t leaf, absl::flat_hash_map<Row, int32_t>& known);
  int32_t Add(const Row& row, size_t leaf);
  void Order();
  void Tally(const Tree& tree);

  std::vector<Row> rows_;            // by kind
  std::vector<int32_t> first_leaf_;  // by kind
  std::vector<int32_t> kind_;        // by leaf
  std::vector<Entry> entries_;
  std::vector<size_t> begin_;  // by domain; one more
};

}  // namespace gangplan::exact
