// Domains that are the same inside: of those one is looked at for all. Two racks of four nodes with
// room for 8, 8, 4 and 0 members are, in whatever order these stand; with a load beside, each node
// must hold as many with each load.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "algorithms/exact/field.h"

namespace gangplan::exact {
namespace {

uint64_t Mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

// Lowest domains are the same when as many leaves of each kind are in them: found by a sum, then
// compared.
std::vector<int32_t> Field::SameLowest(int level) const {
  const auto equal = [](const LeafKinds::Entry& a, const LeafKinds::Entry& b) {
    return a.kind == b.kind && a.count == b.count;
  };
  std::vector<int32_t> same;
  absl::flat_hash_map<uint64_t, int32_t> first;
  for (int32_t index = 0; index < Size(level); ++index) {
    const std::span<const LeafKinds::Entry> inside = leaf_kinds_->in(index);
    uint64_t sum = 0;
    for (const LeafKinds::Entry& entry : inside)
      sum += Mixed(static_cast<uint64_t>(entry.kind) << 32 | static_cast<uint32_t>(entry.count));
    const int32_t one = first.try_emplace(sum, index).first->second;
    const std::span<const LeafKinds::Entry> other = leaf_kinds_->in(one);
    same.push_back(
        std::equal(inside.begin(), inside.end(), other.begin(), other.end(), equal) ? one : index);
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

void Field::BuildSame() {
  same_.resize(tree().leaf_level());
  if (same_.empty()) return;
  int level = tree().leaf_level() - 1;
  same_[level] = SameLowest(level);
  while (level-- > 0) same_[level] = SameAbove(level, same_[level + 1]);
}

int32_t Field::Same(int level, int32_t index) const {
  if (!leaf_kinds_ || level < 0) return index;
  const int32_t domain = Unloaded(level, index);
  const int32_t first = level == tree().leaf_level()
                            ? leaf_kinds_->first_leaf(leaf_kinds_->kind(domain))
                            : same_[level][domain];
  return index - domain + first;
}

}  // namespace gangplan::exact
