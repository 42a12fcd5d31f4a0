#include "algorithms/exact/alike.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace gangplan::exact {
namespace {

// Numbers for lists of numbers: equal lists have the same.
class Numbers {
 public:
  explicit Numbers(int32_t first) : first_(first) {}
  int32_t Of(const std::vector<int32_t>& list) {
    return known_.try_emplace(list, first_ + static_cast<int32_t>(known_.size())).first->second;
  }

 private:
  int32_t first_;
  absl::flat_hash_map<std::vector<int32_t>, int32_t> known_;
};

// What tells a leaf from another.
std::vector<int32_t> SignOf(const Shapes& shapes, int32_t leaf) {
  const std::vector<Mix> mixes = shapes.Mixes(leaf);
  if (mixes.empty()) return {-1, leaf};
  std::vector<int32_t> sign = {shapes.Stands(leaf)};
  for (const Mix& mix : mixes) {
    sign.insert(sign.end(), mix.begin(), mix.end());
    for (size_t shape = 0; shape < mix.size(); ++shape)
      sign.push_back(shapes.Fit(leaf, shape, mix));
  }
  return sign;
}

// The sign and whether a hint lies inside, of every domain of every level.
struct Signs {
  std::vector<std::vector<int32_t>> number;
  std::vector<std::vector<char>> hint;
};

Signs AllSigns(const Tree& tree, const std::vector<int32_t>& leaf_signs,
               const std::map<int32_t, Mix>& put, const std::vector<char>& hint) {
  Signs signs;
  signs.number.resize(tree.level_count());
  signs.hint.resize(tree.level_count());
  signs.number.back() = leaf_signs;
  Numbers numbers(static_cast<int32_t>(leaf_signs.size()));
  for (const auto& [leaf, mix] : put) {
    std::vector<int32_t> sign = {-1, leaf_signs[leaf]};
    sign.insert(sign.end(), mix.begin(), mix.end());
    signs.number.back()[leaf] = numbers.Of(sign);
  }
  signs.hint.back() = hint;
  for (int level = tree.leaf_level() - 1; level >= 0; --level) {
    for (int32_t index = 0; index < tree.size(level); ++index) {
      const Tree::Range range = tree.children(level, index);
      const auto begin = signs.number[level + 1].begin();
      std::vector<int32_t> inside(begin + range.begin, begin + range.end);
      std::sort(inside.begin(), inside.end());
      inside.push_back(-2 - level);
      signs.number[level].push_back(numbers.Of(inside));
      const auto hints = signs.hint[level + 1].begin();
      signs.hint[level].push_back(*std::max_element(hints + range.begin, hints + range.end));
    }
  }
  return signs;
}

// Of the children of a domain one of each sign.
void Visit(const Tree& tree, const Signs& signs, int level, Tree::Range range,
           std::vector<int32_t>& leaves) {
  absl::flat_hash_set<int32_t> seen;
  for (const char wanted : {1, 0}) {
    for (int32_t index = range.begin; index < range.end; ++index) {
      if (signs.hint[level][index] != wanted || !seen.insert(signs.number[level][index]).second)
        continue;
      if (level == tree.leaf_level())
        leaves.push_back(index);
      else
        Visit(tree, signs, level + 1, tree.children(level, index), leaves);
    }
  }
}

}  // namespace

std::vector<int32_t> LeafSigns(const Tree& tree, const Shapes& shapes) {
  Numbers numbers(0);
  std::vector<int32_t> signs;
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf)
    signs.push_back(numbers.Of(SignOf(shapes, leaf)));
  return signs;
}

std::vector<int32_t> DifferentLeaves(const Tree& tree, const std::vector<int32_t>& leaf_signs,
                                     const std::map<int32_t, Mix>& put,
                                     const std::vector<char>& hint) {
  const Signs signs = AllSigns(tree, leaf_signs, put, hint);
  std::vector<int32_t> leaves;
  Visit(tree, signs, 0, {0, tree.size(0)}, leaves);
  std::stable_partition(leaves.begin(), leaves.end(),
                        [&](int32_t leaf) { return hint[leaf] != 0; });
  return leaves;
}

}  // namespace gangplan::exact
