#include <utility>

#include "algorithms/exact.h"
#include "algorithms/exact/ask.h"
#include "algorithms/exact/own_rules.h"
#include "algorithms/exact/terms.h"
#include "algorithms/exact/units.h"
#include "algorithms/members.h"
#include "algorithms/packs.h"
#include "algorithms/rank_units.h"

namespace gangplan {
namespace {

// Who goes to which of the leaves.
std::vector<PlacedMember> Ranked(const PlacementRequest& request, exact::SetsAnswer answer) {
  if (CountsRanks(request.rules)) return std::move(answer.ranked);
  std::vector<PlacedMember> members;
  for (size_t set = 0; set < answer.leaves.size(); ++set)
    RankMembers(request, static_cast<int32_t>(set), answer.leaves[set], members);
  return members;
}

}  // namespace

std::string ExactProblem(const Tree& tree, const PlacementRequest& request) {
  std::string problem = exact::Contradiction(tree, request, exact::AllMembers(request));
  return problem.empty() ? exact::OwnRulesProblem(tree, request) : problem;
}

PlacementResult PlaceByExact(const PlacementView& now, const std::function<PlacementView()>& empty,
                             const PlacementRequest& request, const Budget& budget) {
  PlacementResult result;
  int64_t steps = budget.steps;
  exact::SetsAnswer answer = exact::AskInUnits(now, request, false, steps);
  if (answer.placed) {
    result.outcome = Outcome::kPlaced;
    result.proven = answer.best;
    result.gap = answer.gap;
    result.members = Ranked(request, std::move(answer));
    return result;
  }
  result.proven = answer.proven;
  const exact::SetsAnswer hope = exact::AskInUnits(empty(), request, true, steps);
  result.outcome = hope.placed || !hope.proven ? Outcome::kWait : Outcome::kImpossible;
  result.hope_proven = hope.placed || hope.proven;
  if (AsksForOneDomain(request)) result.deciding_level = HardLevel(request);
  result.most_when_empty = hope.placed ? exact::AllMembers(request) : hope.most;
  return result;
}

}  // namespace gangplan
