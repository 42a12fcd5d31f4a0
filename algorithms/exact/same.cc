#include "algorithms/exact/same.h"

#include <algorithm>
#include <array>

#include "absl/container/flat_hash_map.h"
#include "algorithms/exact/domains.h"
#include "algorithms/exact/work.h"

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
    CountWork(Work::kFind, 1);
    CountWork(Work::kEntry, 4 * (range.end - range.begin));
    uint64_t sum = 0;
    for (int32_t child = range.begin; child < range.end; ++child)
      sum += Mixed(static_cast<uint64_t>(below[child]) + 1);
    const int32_t one = first.try_emplace(sum, index).first->second;
    same.push_back(one == index || alike(range_of(one), range) ? one : index);
  }
  return same;
}

// Most rows are as the one before or among those seen last, which are found without the map.
std::vector<int32_t> SameRows(std::span<const int32_t> rows, size_t width) {
  struct Seen {
    uint64_t sum = 0;
    int32_t first = -1;
  };
  constexpr size_t kSeen = 1024;
  std::array<Seen, kSeen> seen;
  std::vector<uint64_t> factors;  // odd, one for each number of a row
  for (size_t at = 0; at < width; ++at) factors.push_back(Mixed(at + 1) | 1);
  CountWork(Work::kEntry, 2 * std::ssize(rows));
  std::vector<int32_t> same;
  same.reserve(rows.size() / width);
  const auto equal = [&](const int32_t* row, int32_t one) {
    const int32_t* const other = rows.data() + static_cast<size_t>(one) * width;
    bool same_so_far = true;
    for (size_t number = 0; number < width && same_so_far; ++number)
      same_so_far = row[number] == other[number];
    return same_so_far;
  };
  absl::flat_hash_map<uint64_t, int32_t> first;
  for (size_t at = 0; at < rows.size() / width; ++at) {
    const int32_t* const row = rows.data() + at * width;
    if (at > 0 && equal(row, same.back())) {
      same.push_back(same.back());
      continue;
    }
    uint64_t sum = 0;
    for (size_t number = 0; number < width; ++number)
      sum += static_cast<uint32_t>(row[number]) * factors[number];
    const auto index = static_cast<int32_t>(at);
    Seen& last = seen[(sum ^ sum >> 32) * 0x9e3779b97f4a7c15 >> 54];
    if (last.first < 0 || last.sum != sum)
      last = {sum, first.try_emplace(sum, index).first->second};
    same.push_back(equal(row, last.first) ? last.first : index);
  }
  return same;
}

}  // namespace gangplan::exact
