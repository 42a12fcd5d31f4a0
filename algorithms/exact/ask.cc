#include "algorithms/exact/ask.h"

#include <algorithm>

#include "algorithms/exact/gap.h"

namespace gangplan::exact {
namespace {

// Steps that a question without loads has in any case for what the domains can take: without that
// there is no answer at all. Some milliseconds.
constexpr int64_t kLeastFieldSteps = 1 << 18;
// What a question takes whatever is asked, and of how many domains a bound is found in one step.
constexpr int64_t kQuestionSteps = 64;
constexpr int64_t kBoundsAStep = 2;

}  // namespace

int32_t AllMembers(const PlacementRequest& request) {
  int32_t members = 0;
  for (const PodSetRequest& set : request.pod_sets) members += set.count;
  return members;
}

Answer AskOne(const Tree& tree, const FitCounts& counts, std::span<const SpecialLeaf> special,
              std::span<const Terms> terms, int32_t members, int64_t& steps, const Loads* loads) {
  Answer answer;
  if (tree.level_count() == 0 || tree.leaf_count() == 0) return answer;
  steps -= kQuestionSteps;
  std::vector<Terms> all(terms.begin(), terms.end());
  Terms none;
  none.kind = LevelRule::Kind::kAny;
  all.resize(tree.level_count(), none);
  Field field({&tree, &counts, special, all, members, static_cast<int>(terms.size()) - 1, loads,
               loads == nullptr ? std::max(steps, kLeastFieldSteps) : steps / 2});
  answer.cut = field.ended();
  if (answer.cut) {
    steps -= field.steps();
    return answer;
  }
  const Reach whole = field.reach(-1, field.Whole());
  for (int level = 0; level < tree.leaf_level(); ++level) steps -= tree.size(level);
  if (!field.Has(whole, members)) {
    answer.most = whole.empty() ? 0 : whole.hi;
    steps -= field.steps() + 1;
    return answer;
  }
  answer.solution = Solve(field, steps);
  answer.cut = !answer.solution;
  if (answer.solution && !answer.solution->best) {
    for (int level = 0; level < tree.level_count(); ++level)
      steps -= int64_t{tree.size(level)} * (field.Whole() + 1) / kBoundsAStep;
    answer.bounds = LevelBounds(field);
    answer.solution->best = answer.solution->costs == answer.bounds;
  }
  steps -= field.steps() + 1;
  return answer;
}

}  // namespace gangplan::exact
