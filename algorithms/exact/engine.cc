#include "algorithms/exact.h"
#include "algorithms/exact/ask.h"
#include "algorithms/exact/own_rules.h"
#include "algorithms/exact/several.h"
#include "algorithms/exact/terms.h"
#include "algorithms/members.h"
#include "algorithms/packs.h"
#include "algorithms/rank_units.h"

namespace gangplan {
namespace {

// Who goes to which of the leaves. False: they do not let units of ranks be kept.
bool Rank(const Tree& tree, const PlacementRequest& request,
          const std::vector<std::vector<int32_t>>& leaves, PlacementResult& result) {
  if (CountsRanks(request.rules)) {
    result.members = RankInUnits(tree, request, leaves);
    return !result.members.empty();
  }
  for (size_t set = 0; set < leaves.size(); ++set)
    RankMembers(request, static_cast<int32_t>(set), leaves[set], result.members);
  return true;
}

}  // namespace

std::string ExactProblem(const Tree& tree, const PlacementRequest& request) {
  std::string problem = exact::Contradiction(tree, request, exact::AllMembers(request));
  return problem.empty() ? exact::OwnRulesProblem(tree, request) : problem;
}

PlacementResult PlaceByExact(const PlacementView& now, const std::function<PlacementView()>& empty,
                             const PlacementRequest& request, const Budget& budget) {
  PlacementResult result;
  const std::vector<exact::Terms> terms = exact::TermsOf(*now.tree, request);
  int64_t steps = budget.steps;
  const exact::SetsAnswer answer = exact::AskSets(now, request, terms, false, steps);
  if (answer.placed) {
    result.outcome = Outcome::kPlaced;
    result.proven = answer.best;
    result.gap = answer.gap;
    if (Rank(*now.tree, request, answer.leaves, result)) return result;
    result = {};
    result.outcome = Outcome::kWait;
    result.proven = false;
    return result;
  }
  result.proven = answer.proven;
  const exact::SetsAnswer hope = exact::AskSets(empty(), request, terms, true, steps);
  result.outcome = hope.placed || !hope.proven ? Outcome::kWait : Outcome::kImpossible;
  if (AsksForOneDomain(request)) result.deciding_level = HardLevel(request);
  result.most_when_empty = hope.placed ? exact::AllMembers(request) : hope.most;
  return result;
}

}  // namespace gangplan
