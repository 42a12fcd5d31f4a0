// Domains that are the same inside: of those one is looked at for all. Two racks of four nodes with
// room for 8, 8, 4 and 0 members are, in whatever order these stand; with a load beside, each node
// must hold as many with each load.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "algorithms/exact/field.h"
#include "algorithms/exact/same.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {

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
    CountWork(Work::kFind, 1);
    CountWork(Work::kEntry, 4 * std::ssize(inside));
    for (const LeafKinds::Entry& entry : inside)
      sum += Mixed(static_cast<uint64_t>(entry.kind) << 32 | static_cast<uint32_t>(entry.count));
    const int32_t one = first.try_emplace(sum, index).first->second;
    const std::span<const LeafKinds::Entry> other = leaf_kinds_->in(one);
    same.push_back(
        std::equal(inside.begin(), inside.end(), other.begin(), other.end(), equal) ? one : index);
  }
  return same;
}

void Field::BuildSame() {
  same_.resize(tree().leaf_level());
  if (same_.empty()) return;
  int level = tree().leaf_level() - 1;
  same_[level] = SameLowest(level);
  while (level-- > 0)
    same_[level] = SameDomains(tree(), level, same_[level + 1], same_[level + 1].size());
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
