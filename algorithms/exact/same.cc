#include "algorithms/exact/same.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "algorithms/exact/domains.h"

namespace gangplan::exact {

uint64_t Mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::vector<int32_t> SameDomains(const Tree& tree, int level, std::span<const int32_t> below,
                                 size_t kinds) {
  const auto range_of = [&](int32_t index) { return ChildrenOf(tree, level, index); };
  std::vector<int32_t> same;
  std::vector<int32_t> tally(kinds, 0);
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
  const int32_t size = DomainCount(tree, level);
  for (int32_t index = 0; index < size; ++index) {
    const Tree::Range range = range_of(index);
    uint64_t sum = 0;
    for (int32_t child = range.begin; child < range.end; ++child)
      sum += Mixed(static_cast<uint64_t>(below[child]) + 1);
    const int32_t one = first.try_emplace(sum, index).first->second;
    same.push_back(one == index || alike(range_of(one), range) ? one : index);
  }
  return same;
}

std::vector<int32_t> SameRows(std::span<const int32_t> rows, size_t width) {
  std::vector<int32_t> same;
  absl::flat_hash_map<uint64_t, int32_t> first;
  for (size_t at = 0; at < rows.size() / width; ++at) {
    const std::span<const int32_t> row = rows.subspan(at * width, width);
    uint64_t sum = 0;
    for (const int32_t number : row)
      sum = (sum ^ static_cast<uint32_t>(number)) * 0x9e3779b97f4a7c15 + (sum >> 32);
    const auto index = static_cast<int32_t>(at);
    const int32_t one = first.try_emplace(sum, index).first->second;
    const std::span<const int32_t> other = rows.subspan(static_cast<size_t>(one) * width, width);
    same.push_back(std::equal(row.begin(), row.end(), other.begin()) ? one : index);
  }
  return same;
}

}  // namespace gangplan::exact
