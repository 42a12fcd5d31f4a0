#include "algorithms/exact/leaf_kinds.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace gangplan::exact {
namespace {

// Without a call, and without a branch on each number.
bool IsSame(const LeafKinds::Row& a, const LeafKinds::Row& b) {
  int32_t differ = 0;
  for (size_t i = 0; i < a.size(); ++i) differ |= a[i] ^ b[i];
  return differ == 0;
}

}  // namespace

LeafKinds::LeafKinds(const Tree& tree, std::span<const Row> rows, std::span<const int32_t> apart) {
  FindKinds(rows, apart);
  Order();
  Tally(tree);
}

// Most leaves are of a few kinds: those seen last are found without the map.
void LeafKinds::FindKinds(std::span<const Row> rows, std::span<const int32_t> apart) {
  constexpr uint64_t kSeen = 256;
  std::array<int32_t, kSeen> seen;
  seen.fill(-1);
  absl::flat_hash_map<Row, int32_t> known;
  kind_.reserve(rows.size());
  const auto add = [&](const Row& row) {
    rows_.push_back(row);
    first_leaf_.push_back(static_cast<int32_t>(kind_.size()));
    return count() - 1;
  };
  auto next = apart.begin();
  for (const Row& row : rows) {
    if (next != apart.end() && static_cast<size_t>(*next) == kind_.size()) {
      ++next;
      kind_.push_back(add(row));
      continue;
    }
    uint64_t mixed = 0;
    for (size_t i = 0; i < row.size(); ++i)
      mixed += static_cast<uint64_t>(static_cast<uint32_t>(row[i])) << (13 * i);
    int32_t& last = seen[(mixed * 0x9e3779b97f4a7c15 >> 40) % kSeen];
    if (last < 0 || !IsSame(rows_[static_cast<size_t>(last)], row)) {
      const auto [at, fresh] = known.try_emplace(row, count());
      if (fresh) add(row);
      last = at->second;
    }
    kind_.push_back(last);
  }
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
  const int32_t domains = level < 0 ? 1 : tree.size(level);
  std::vector<Entry> tally(rows_.size());
  std::vector<int32_t> found, all(rows_.size());
  std::iota(all.begin(), all.end(), 0);
  for (int32_t domain = 0; domain < domains; ++domain) {
    const Tree::Range leaves =
        level < 0 ? Tree::Range{0, tree.leaf_count()} : tree.children(level, domain);
    for (int32_t leaf = leaves.end; leaf-- > leaves.begin;) {
      Entry& entry = tally[static_cast<size_t>(kind(leaf))];
      static_assert(Loads::kMostPods == 2);
      entry.leaves = {leaf, entry.leaves[0]};
      ++entry.count;
    }
    const bool few = count() <= leaves.end - leaves.begin;
    if (!few) {
      found.assign(kind_.begin() + leaves.begin, kind_.begin() + leaves.end);
      std::sort(found.begin(), found.end());
      found.erase(std::unique(found.begin(), found.end()), found.end());
    }
    begin_.push_back(entries_.size());
    for (const int32_t kind : few ? all : found) {
      Entry& entry = tally[static_cast<size_t>(kind)];
      if (entry.count == 0) continue;
      entry.kind = kind;
      entries_.push_back(entry);
      entry.count = 0;
    }
  }
  begin_.push_back(entries_.size());
}

}  // namespace gangplan::exact
