#include <algorithm>

#include "algorithms/exact.h"
#include "algorithms/exact/ask.h"
#include "algorithms/exact/terms.h"
#include "algorithms/members.h"

namespace gangplan {
namespace {

using exact::Answer;
using exact::SpecialLeaf;
using exact::Terms;

// The leaf of each member that does not stand yet.
std::vector<int32_t> NewLeaves(const std::vector<exact::LeafMembers>& placed,
                               const std::vector<SpecialLeaf>& standing) {
  std::vector<int32_t> leaves;
  auto stood = standing.begin();
  for (const exact::LeafMembers& leaf : placed) {
    while (stood != standing.end() && stood->leaf < leaf.leaf) ++stood;
    const bool here = stood != standing.end() && stood->leaf == leaf.leaf;
    leaves.insert(leaves.end(), leaf.members - (here ? stood->stands : 0), leaf.leaf);
  }
  return leaves;
}

}  // namespace

std::string ExactProblem(const Tree& tree, const PlacementRequest& request) {
  return exact::Contradiction(tree, request, exact::AllMembers(request));
}

PlacementResult PlaceByExact(const PlacementView& now, const std::function<PlacementView()>& empty,
                             const PlacementRequest& request, const Budget& budget) {
  PlacementResult result;
  const std::vector<Terms> terms = exact::TermsOf(request);
  const int32_t members = exact::AllMembers(request);
  int64_t steps = budget.steps;
  const std::vector<SpecialLeaf> standing = exact::Standing(*now.counts.front(), request, false);
  const Answer answer =
      exact::AskOne(*now.tree, *now.counts.front(), standing, terms, members, steps);
  if (answer.solution) {
    result.outcome = Outcome::kPlaced;
    result.members = RankMembers(request, NewLeaves(answer.solution->leaves, standing));
    result.proven = answer.solution->best;
    return result;
  }
  const PlacementView best = empty();
  const FitCounts& roomy = *best.counts.front();
  const Answer hope = exact::AskOne(*best.tree, roomy, exact::Standing(roomy, request, true), terms,
                                    members, steps);
  result.outcome = hope.solution ? Outcome::kWait : Outcome::kImpossible;
  result.most_when_empty = hope.solution ? members : hope.most;
  return result;
}

}  // namespace gangplan
