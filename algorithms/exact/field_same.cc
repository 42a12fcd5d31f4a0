// Domains that are the same inside: of those one is looked at for all. Two racks of four nodes with
// room for 8, 8, 4 and 0 members are, in whatever order these stand; with a load beside, each node
// must hold as many with each load.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "algorithms/exact/field.h"

namespace gangplan::exact {
namespace {

uint64_t Mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Rows of a table of so many columns, told apart by what they say.
struct RowHash {
  const int32_t* table;
  size_t columns;
  size_t operator()(int32_t row) const {
    uint64_t hash = 0;
    for (size_t i = 0; i < columns; ++i)
      hash = (hash ^ static_cast<uint32_t>(table[static_cast<size_t>(row) * columns + i])) *
             0x9e3779b97f4a7c15;
    return Mixed(hash);
  }
};
struct RowEqual {
  const int32_t* table;
  size_t columns;
  bool operator()(int32_t a, int32_t b) const {
    const int32_t* first = table + static_cast<size_t>(a) * columns;
    return std::equal(first, first + columns, table + static_cast<size_t>(b) * columns);
  }
};

}  // namespace

// Leaves are the same when they hold as many with each load and nobody stands there.
std::vector<int32_t> Field::SameLeaves(const std::vector<int32_t>& mosts) const {
  const auto count = static_cast<size_t>(question_.loads->count());
  std::vector<int32_t> same(static_cast<size_t>(tree().leaf_count()));
  absl::flat_hash_set<int32_t, RowHash, RowEqual> kinds(0, {mosts.data(), count},
                                                        {mosts.data(), count});
  auto special = question_.special.begin();
  for (int32_t leaf = 0; leaf < tree().leaf_count(); ++leaf) {
    const bool stands = special != question_.special.end() && special->leaf == leaf;
    if (stands) ++special;
    same[static_cast<size_t>(leaf)] = stands ? leaf : *kinds.insert(leaf).first;
  }
  return same;
}

// Domains are the same when as many of each kind are in them: found by a sum over their children,
// then compared.
std::vector<int32_t> Field::SameAbove(int level, std::span<const int32_t> below) const {
  std::vector<int32_t> same;
  std::vector<int32_t> tally(below.size(), 0);
  const auto alike = [&](Tree::Range a, Tree::Range b) {
    if (a.end - a.begin != b.end - b.begin) return false;
    for (int32_t child = a.begin; child < a.end; ++child) ++tally[below[child]];
    bool equal = true;
    for (int32_t child = b.begin; child < b.end; ++child) equal &= --tally[below[child]] >= 0;
    for (int32_t child = a.begin; child < a.end; ++child) tally[below[child]] = 0;
    for (int32_t child = b.begin; child < b.end; ++child) tally[below[child]] = 0;
    return equal;
  };
  absl::flat_hash_map<uint64_t, int32_t> first;
  for (int32_t index = 0; index < Size(level); ++index) {
    const Tree::Range range = Range(level, index);
    uint64_t sum = 0;
    for (int32_t child = range.begin; child < range.end; ++child)
      sum += Mixed(static_cast<uint64_t>(below[child]) + 1);
    const int32_t one = first.try_emplace(sum, index).first->second;
    same.push_back(one == index || alike(Range(level, one), range) ? one : index);
  }
  return same;
}

void Field::BuildSame(const std::vector<int32_t>& mosts) {
  same_.resize(tree().level_count());
  same_.back() = SameLeaves(mosts);
  for (int level = tree().leaf_level() - 1; level >= 0; --level)
    same_[level] = SameAbove(level, same_[level + 1]);
}

int32_t Field::Same(int level, int32_t index) const {
  if (same_.empty() || level < 0) return index;
  return index - Unloaded(level, index) + same_[level][Unloaded(level, index)];
}

}  // namespace gangplan::exact
