#include "algorithms/exact.h"
#include "algorithms/exact/ask.h"
#include "algorithms/exact/several.h"
#include "algorithms/exact/terms.h"
#include "algorithms/members.h"

namespace gangplan {

std::string ExactProblem(const Tree& tree, const PlacementRequest& request) {
  return exact::Contradiction(tree, request, exact::AllMembers(request));
}

PlacementResult PlaceByExact(const PlacementView& now, const std::function<PlacementView()>& empty,
                             const PlacementRequest& request, const Budget& budget) {
  PlacementResult result;
  const std::vector<exact::Terms> terms = exact::TermsOf(request);
  int64_t steps = budget.steps;
  const exact::SetsAnswer answer = exact::AskSets(now, request, terms, false, steps);
  if (answer.placed) {
    result.outcome = Outcome::kPlaced;
    result.proven = answer.best;
    result.gap = answer.gap;
    for (size_t set = 0; set < answer.leaves.size(); ++set)
      RankMembers(request, static_cast<int32_t>(set), answer.leaves[set], result.members);
    return result;
  }
  result.proven = answer.proven;
  const exact::SetsAnswer hope = exact::AskSets(empty(), request, terms, true, steps);
  result.outcome = hope.placed || !hope.proven ? Outcome::kWait : Outcome::kImpossible;
  result.most_when_empty = hope.placed ? exact::AllMembers(request) : hope.most;
  return result;
}

}  // namespace gangplan
