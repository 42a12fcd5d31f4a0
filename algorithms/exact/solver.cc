#include "algorithms/exact/solver.h"

#include <algorithm>

#include "algorithms/exact/chooser.h"

namespace gangplan::exact {
namespace {

template <int kWords>
void Descend(Chooser<kWords>& chooser, const Field& field, int level, int32_t index,
             int32_t members, Solution& solution) {
  std::vector<Pick> picks;
  chooser.Best(level, index, members, &picks);
  const int below = level + 1;
  for (const Pick& pick : picks) {
    solution.costs[below] += LevelCost(field.terms(below).kind, pick.members);
    if (below == field.tree().leaf_level())
      solution.leaves.push_back(
          {field.Unloaded(below, pick.child), pick.members, field.LoadOf(below, pick.child)});
    else if (below < field.question().last_level)
      Descend(chooser, field, below, pick.child, pick.members, solution);
  }
}

template <int kWords>
std::optional<Solution> SolveWith(Field& field, const KeyLayout& layout, int64_t& steps,
                                  int64_t most_kept_bytes) {
  Solution solution;
  solution.costs.assign(field.question().last_level + 1, 0);
  Chooser<kWords> chooser(field, layout, steps, most_kept_bytes);
  Descend(chooser, field, -1, field.Whole(), field.question().members, solution);
  if (!chooser.answered()) return std::nullopt;
  std::sort(solution.leaves.begin(), solution.leaves.end(),
            [](const LeafMembers& a, const LeafMembers& b) { return a.leaf < b.leaf; });
  solution.best = chooser.proven();
  return solution;
}

}  // namespace

std::optional<Solution> Solve(Field& field, int64_t& steps, int64_t most_kept_bytes) {
  const std::vector<Terms> terms(field.question().terms.begin(), field.question().terms.end());
  const KeyLayout layout(field.tree(), terms, field.question().members);
  if (layout.words() <= 1) return SolveWith<1>(field, layout, steps, most_kept_bytes);
  if (layout.words() == 2) return SolveWith<2>(field, layout, steps, most_kept_bytes);
  return SolveWith<kMaxLevels + 1>(field, layout, steps, most_kept_bytes);
}

}  // namespace gangplan::exact
