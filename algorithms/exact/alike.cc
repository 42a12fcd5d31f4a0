#include "algorithms/exact/alike.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "algorithms/exact/same.h"
#include "algorithms/exact/work.h"

namespace gangplan::exact {
namespace {

// Of a look at the room of a leaf for one shape.
constexpr int64_t kLook = 4;

// Numbers for lists of numbers, from 0 on: equal lists have the same.
class Numbers {
 public:
  int32_t Of(const std::vector<int32_t>& list) {
    CountWork(Work::kFind, 1);
    return known_.try_emplace(list, static_cast<int32_t>(known_.size())).first->second;
  }

 private:
  absl::flat_hash_map<std::vector<int32_t>, int32_t> known_;
};

// What tells a leaf from another.
std::vector<int32_t> SignOf(const Shapes& shapes, int32_t leaf, int64_t& steps) {
  const std::vector<Mix> mixes = shapes.Mixes(leaf);
  steps -=
      kLook * shapes.FitSteps() * static_cast<int64_t>((mixes.size() + 1) * shapes.all().size());
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
  Numbers numbers;  // of leaves with something put on them: beyond those without
  for (const auto& [leaf, mix] : put) {
    std::vector<int32_t> sign = mix;
    sign.push_back(leaf_signs[leaf]);
    signs.number.back()[leaf] = tree.leaf_count() + numbers.Of(sign);
  }
  signs.hint.back() = hint;
  for (int level = tree.leaf_level() - 1; level >= 0; --level) {
    signs.number[level] = SameDomains(tree, level, signs.number[level + 1],
                                      static_cast<size_t>(tree.leaf_count()) + put.size());
    for (int32_t index = 0; index < tree.size(level); ++index) {
      const Tree::Range range = tree.children(level, index);
      const auto hints = signs.hint[level + 1].begin();
      CountWork(Work::kEntry, 2 * (range.end - range.begin));
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
    CountWork(Work::kFind, range.end - range.begin);
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

std::vector<int32_t> LeafSigns(const Tree& tree, const Shapes& shapes, int64_t& steps) {
  Numbers numbers;
  std::vector<int32_t> signs;
  for (int32_t leaf = 0; leaf < tree.leaf_count() && steps > 0; ++leaf)
    signs.push_back(numbers.Of(SignOf(shapes, leaf, steps)));
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
