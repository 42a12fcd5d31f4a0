#include "algorithms/exact/ask.h"

#include <algorithm>

namespace gangplan::exact {

int32_t AllMembers(const PlacementRequest& request) {
  int32_t members = 0;
  for (const PodSetRequest& set : request.pod_sets) members += set.count;
  return members;
}

std::vector<SpecialLeaf> Standing(const FitCounts& counts, const PlacementRequest& request,
                                  bool counted) {
  std::vector<int32_t> leaves;
  for (const FixedMember& member : request.fixed) leaves.push_back(member.leaf);
  std::sort(leaves.begin(), leaves.end());
  std::vector<SpecialLeaf> special;
  for (int32_t leaf : leaves) {
    if (special.empty() || special.back().leaf != leaf) special.push_back({leaf, 0, 0});
    ++special.back().stands;
  }
  for (SpecialLeaf& one : special) {
    one.room = counts.levels.back()[one.leaf];
    if (counted) one.room = std::max(0, one.room - one.stands);
  }
  return special;
}

Answer AskOne(const Tree& tree, const FitCounts& counts, std::span<const SpecialLeaf> special,
              std::span<const Terms> terms, int32_t members, int64_t& steps) {
  Answer answer;
  if (tree.level_count() == 0 || tree.leaf_count() == 0) return answer;
  Field field({&tree, &counts, special, terms, members});
  const Reach whole = field.reach(-1, 0);
  steps -= field.steps();
  if (!field.Has(whole, members)) {
    answer.most = whole.empty() ? 0 : whole.hi;
    return answer;
  }
  answer.solution = Solve(field, steps);
  return answer;
}

}  // namespace gangplan::exact
