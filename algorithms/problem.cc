#include "algorithms/problem.h"

#include <algorithm>

#include "algorithms/exact.h"
#include "algorithms/packs.h"
#include "algorithms/pod_sets.h"
#include "algorithms/rank_units.h"
#include "algorithms/rule_text.h"
#include "algorithms/tas/engine.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

// Standing members in more than one domain of a hard level: no placement of the others can help.
std::string StandingProblem(const Tree& tree, const PlacementRequest& request) {
  int hard = HardLevel(request);
  int32_t bound = BoundDomain(tree, request);
  if (bound < 0) return "";
  for (const FixedMember& member : request.fixed) {
    int32_t other = tree.Ancestor(member.leaf, hard);
    if (other == bound) continue;
    return fmt::format("{}: members already stand in {} and in {}",
                       RuleText(tree.level(hard).name, *request.rules[hard]),
                       tree.Path(hard, std::min(bound, other)),
                       tree.Path(hard, std::max(bound, other)));
  }
  return "";
}

// Counts that no pod set can have.
std::string CountProblem(const PlacementRequest& request) {
  if (request.pod_sets.empty()) return "no pod sets: at least 1 is needed";
  std::vector<int32_t> standing(request.pod_sets.size());
  for (const FixedMember& member : request.fixed) ++standing[member.pod_set];
  for (size_t i = 0; i < request.pod_sets.size(); ++i) {
    const PodSetRequest& set = request.pod_sets[i];
    const std::string who = standing.size() > 1 ? fmt::format("pod set {}: ", set.name) : "";
    if (set.count < 1) return fmt::format("{}{} members: at least 1 is needed", who, set.count);
    if (standing[i] > set.count)
      return fmt::format("{}{} members stand already, but there are only {}", who, standing[i],
                         set.count);
  }
  return "";
}

std::string OneTasProblem(const Tree& tree, const PlacementRequest& request) {
  std::string problem = TasProblem(tree, request);
  return problem.empty() ? StandingProblem(tree, request) : problem;
}

std::string AllTasProblem(const Tree& tree, const PlacementRequest& request) {
  if (request.pod_sets.size() == 1) return OneTasProblem(tree, request);
  for (size_t i = 0; i < request.pod_sets.size(); ++i) {
    const std::string problem = OneTasProblem(tree, OnlyPodSet(request, i));
    if (!problem.empty()) return fmt::format("pod set {}: {}", request.pod_sets[i].name, problem);
  }
  return {};
}

}  // namespace

std::string RequestProblem(const Tree& tree, const PlacementRequest& request) {
  std::string problem = CountProblem(request);
  if (!problem.empty()) return problem;
  if (request.strategy == Strategy::kTas) return AllTasProblem(tree, request);
  problem = ExactProblem(tree, request);
  if (problem.empty()) problem = UnitProblem(tree, request);
  return problem.empty() && AsksForOneDomain(request) ? StandingProblem(tree, request) : problem;
}

}  // namespace gangplan
