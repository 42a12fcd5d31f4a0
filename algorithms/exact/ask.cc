#include "algorithms/exact/ask.h"

namespace gangplan::exact {

int32_t AllMembers(const PlacementRequest& request) {
  int32_t members = 0;
  for (const PodSetRequest& set : request.pod_sets) members += set.count;
  return members;
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
