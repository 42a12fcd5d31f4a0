#include "algorithms/exact/leaf_kinds.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <type_traits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "algorithms/exact/domains.h"

namespace gangplan::exact {
namespace {

template <size_t kNumber>
using Number = std::integral_constant<size_t, kNumber>;

// A row as two numbers.
struct Packed {
  uint64_t low = UINT64_MAX;  // no row
  uint64_t high = 0;

  Packed() = default;
  Packed(int32_t none, int32_t first, int32_t second, int32_t third)
      : low(Pair(none, first)), high(Pair(second, third)) {}
  static uint64_t Pair(int32_t one, int32_t other) {
    return static_cast<uint64_t>(static_cast<uint32_t>(one)) |
           static_cast<uint64_t>(static_cast<uint32_t>(other)) << 32;
  }
  friend bool operator==(const Packed&, const Packed&) = default;
};

}  // namespace

LeafKinds::LeafKinds(const Tree& tree, const Rooms& rooms, std::span<const int32_t> pods,
                     int32_t most, std::span<const Apart> apart) {
  FindKinds(rooms, pods, most, apart);
  Order();
  Tally(tree);
}

int32_t LeafKinds::Add(const Row& row, size_t leaf) {
  rows_.push_back(row);
  first_leaf_.push_back(static_cast<int32_t>(leaf));
  return count() - 1;
}

void LeafKinds::FindKinds(const Rooms& rooms, std::span<const int32_t> pods, int32_t most,
                          std::span<const Apart> apart) {
  static_assert(Loads::kMostLoads == 4);
  kind_.resize(rooms.front().size());
  if (pods.size() == 2) return FindKindsOf<2>(rooms, pods, most, apart);
  if (pods.size() == 3) return FindKindsOf<3>(rooms, pods, most, apart);
  return FindKindsOf<4>(rooms, pods, most, apart);
}

// By value: a row that is looked at in memory is not kept in registers.
int32_t LeafKinds::KindOf(Row row, size_t leaf, absl::flat_hash_map<Row, int32_t>& known) {
  const auto [at, fresh] = known.try_emplace(row, count());
  if (fresh) Add(row, leaf);
  return at->second;
}

// Most leaves are of a few kinds: those seen last are found without the map.
template <size_t kLoads>
void LeafKinds::FindKindsOf(const Rooms& rooms, std::span<const int32_t> pods, int32_t most,
                            std::span<const Apart> apart) {
  struct Seen {
    Packed row;
    int32_t kind = 0;
  };
  constexpr uint64_t kSeen = 512;
  std::array<Seen, kSeen> seen;
  absl::flat_hash_map<Row, int32_t> known;
  std::array<const int32_t*, kLoads> room_of;
  std::array<int32_t, kLoads> pods_of;
  for (size_t load = 0; load < kLoads; ++load) {
    room_of[load] = rooms[load].data();
    pods_of[load] = pods[load];
  }
  const auto kind_of = [&](size_t leaf) {
    const auto held = [&](auto load) {
      if constexpr (load >= kLoads) return 0;
      const int32_t room = room_of[load % kLoads][leaf];
      return room < 0 ? kFar : std::min(room + pods_of[load % kLoads], most);
    };
    const int32_t none = held(Number<0>()), first = held(Number<1>()), second = held(Number<2>()),
                  third = held(Number<3>());
    const Packed packed(none, first, second, third);
    const uint64_t mixed = (packed.low ^ packed.high * 31) * 0x9e3779b97f4a7c15;
    Seen& last = seen[(mixed >> 40) % kSeen];
    if (!(last.row == packed)) last = {packed, KindOf({none, first, second, third}, leaf, known)};
    return last.kind;
  };
  int32_t* const kinds = kind_.data();
  size_t leaf = 0;
  for (const Apart& one : apart) {
    const auto end = static_cast<size_t>(one.leaf);
    for (; leaf < end; ++leaf) kinds[leaf] = kind_of(leaf);
    kinds[leaf] = Add(one.row, leaf);
    ++leaf;
  }
  for (const size_t end = kind_.size(); leaf < end; ++leaf) kinds[leaf] = kind_of(leaf);
}

void LeafKinds::Order() {
  std::vector<int32_t> order(rows_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto at = [](int32_t kind) { return static_cast<size_t>(kind); };
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return rows_[at(a)] != rows_[at(b)] ? rows_[at(a)] > rows_[at(b)] : a < b;
  });
  std::vector<int32_t> place(order.size()), first_leaf;
  std::vector<Row> rows;
  for (const int32_t kind : order) {
    place[at(kind)] = static_cast<int32_t>(rows.size());
    rows.push_back(rows_[at(kind)]);
    first_leaf.push_back(first_leaf_[at(kind)]);
  }
  rows_ = std::move(rows);
  first_leaf_ = std::move(first_leaf);
  for (int32_t& kind : kind_) kind = place[at(kind)];
}

void LeafKinds::Tally(const Tree& tree) {
  const int level = tree.leaf_level() - 1;
  const int32_t domains = DomainCount(tree, level);
  std::vector<Entry> tally(rows_.size());
  std::vector<uint64_t> found(rows_.size() / 64 + 1, 0);  // a bit for each kind
  for (int32_t domain = 0; domain < domains; ++domain) {
    const Tree::Range leaves =
        level < 0 ? Tree::Range{0, tree.leaf_count()} : tree.children(level, domain);
    for (int32_t leaf = leaves.end; leaf-- > leaves.begin;) {
      const auto kind = static_cast<size_t>(kind_[static_cast<size_t>(leaf)]);
      Entry& entry = tally[kind];
      static_assert(Loads::kMostPods == 2);
      entry.leaves = {leaf, entry.leaves[0]};
      ++entry.count;
      found[kind / 64] |= uint64_t{1} << (kind % 64);
    }
    begin_.push_back(entries_.size());
    for (size_t at = 0; at < found.size(); ++at) {
      for (; found[at] != 0; found[at] &= found[at] - 1) {
        const size_t kind = 64 * at + static_cast<size_t>(std::countr_zero(found[at]));
        tally[kind].kind = static_cast<int32_t>(kind);
        entries_.push_back(tally[kind]);
        tally[kind].count = 0;
      }
    }
  }
  begin_.push_back(entries_.size());
}

}  // namespace gangplan::exact
