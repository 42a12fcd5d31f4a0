#include "algorithms/exact/own_rules.h"

#include <algorithm>

#include "algorithms/exact/ask.h"
#include "algorithms/exact/gap.h"
#include "algorithms/exact/part_costs.h"
#include "algorithms/exact/part_table.h"
#include "algorithms/exact/part_tries.h"
#include "fmt/format.h"

namespace gangplan::exact {
namespace {

// Of the steps the bound of all, and the fast placements, may use one part in so many; and what is
// only about the best, once a placement is there, no more than these.
constexpr int64_t kBoundShare = 4;
constexpr int64_t kTryShare = 2;
constexpr int64_t kBestSteps = 1'000'000;

class Search {
 public:
  Search(const PlacementView& view, const PlacementRequest& request,
         const std::vector<Terms>& terms, bool counted, int64_t& steps)
      : view_(view),
        tree_(*view.tree),
        request_(request),
        terms_(terms),
        counted_(counted),
        steps_(steps),
        parts_(view, request, counted),
        costs_(tree_, request, terms, parts_),
        bound_(costs_.size(), INT64_MIN) {}

  SetsAnswer Run();

 private:
  bool AllHaveOne(SetsAnswer& answer);
  bool EachHasOne(SetsAnswer& answer);
  Answer AskAlone(size_t part);
  bool LookAtAll();
  void Keep(PartPlacement placed);
  std::optional<PlacementGap> Gap() const;
  bool done() const { return best_ && best_->costs == bound_; }

  const PlacementView& view_;
  const Tree& tree_;
  const PlacementRequest& request_;
  const std::vector<Terms>& terms_;
  const bool counted_;
  int64_t& steps_;
  const Parts parts_;
  const PartCosts costs_;
  PartCostList bound_;  // no placement costs less
  std::optional<PartTry> best_;
};

void Search::Keep(PartPlacement placed) {
  steps_ -= costs_.Steps(placed.size());
  std::optional<PartCostList> costs = costs_.Of(placed);
  if (!costs || (best_ && best_->costs <= *costs)) return;
  best_ = PartTry{std::move(placed), *std::move(costs)};
}

// Without own rules. False: there is no placement even so.
bool Search::AllHaveOne(SetsAnswer& answer) {
  int64_t steps = std::min(steps_ / kBoundShare, kBestSteps);
  const int64_t before = steps;
  const SetsAnswer found = AskSets(view_, WithoutOwnRules(request_), terms_, counted_, steps);
  steps_ -= before - steps;
  answer.most = found.placed ? AllMembers(request_) - 1 : found.most;
  if (!found.placed) return !found.proven;
  PartPlacement placed = parts_.standing();
  for (size_t part = 0; part < parts_.size(); ++part) {
    for (const int32_t set : parts_.all()[part].pod_sets)
      for (const int32_t leaf : found.leaves[set])
        ++placed.try_emplace(leaf, parts_.size(), 0).first->second[part];
  }
  const PartCostList least = costs_.Sum(placed);
  for (size_t i = 0; found.best && i < costs_.size(); ++i)
    if (costs_.numbers()[i].part < 0) bound_[i] = least[i];
  Keep(std::move(placed));
  return true;
}

// By its own rules, as if it were alone; within a share of the steps, as no more than a bound.
Answer Search::AskAlone(size_t part) {
  const Part& own = parts_.all()[part];
  const auto shares = kBoundShare * static_cast<int64_t>(parts_.size());
  int64_t steps = std::min(steps_, kBestSteps) / shares;
  const int64_t before = steps;
  std::vector<SpecialLeaf> special;
  for (const auto& [leaf, members] : parts_.standing()) {
    if (members[part] > 0)
      special.push_back({leaf, members[part], parts_.Fit(leaf, part, members)});
  }
  Answer alone =
      AskOne(tree_, parts_.shapes().counts(own.shape), special, own.own, own.count, steps);
  steps_ -= before - steps;
  return alone;
}

// False: some part has no placement by its own rules.
bool Search::EachHasOne(SetsAnswer& answer) {
  for (size_t part = 0; part < parts_.size(); ++part) {
    const Part& own = parts_.all()[part];
    if (own.bottom < 0) continue;
    const Answer alone = AskAlone(part);
    if (alone.cut) continue;
    if (!alone.solution) {
      answer.most = std::min(answer.most, AllMembers(request_) - own.count + alone.most);
      return false;
    }
    const std::vector<int64_t>& least = alone.solution->best ? alone.solution->costs : alone.bounds;
    for (size_t i = 0; i < costs_.size(); ++i) {
      const PartCosts::Number& number = costs_.numbers()[i];
      if (number.part == static_cast<int>(part)) bound_[i] = least[number.level];
    }
  }
  return true;
}

// Where it is the number of all members that is not the best.
std::optional<PlacementGap> Search::Gap() const {
  const auto [cost, bound] =
      std::mismatch(best_->costs.begin(), best_->costs.end(), bound_.begin());
  if (cost == best_->costs.end() || *bound == INT64_MIN) return std::nullopt;
  const PartCosts::Number& number = costs_.numbers()[cost - best_->costs.begin()];
  if (number.part >= 0) return std::nullopt;
  std::vector<int64_t> costs(terms_.size(), 0), bounds(terms_.size(), 0);
  costs[number.level] = *cost;
  bounds[number.level] = *bound;
  return GapOf(terms_, costs, bounds);
}

// True: to the end.
bool Search::LookAtAll() {
  int64_t steps = best_ ? std::min(steps_, kBestSteps) : steps_;
  const int64_t before = steps;
  PartTable table(view_, request_, parts_, costs_, counted_, steps);
  std::optional<PartPlacement> best = table.Best();
  steps_ -= before - steps;
  if (best) Keep(*std::move(best));
  return table.proven();
}

SetsAnswer Search::Run() {
  SetsAnswer answer;
  answer.proven = true;
  if (tree_.leaf_count() == 0) return answer;
  if (!AllHaveOne(answer) || !EachHasOne(answer)) return answer;
  if (!done()) {
    int64_t steps = steps_ / kTryShare;
    const int64_t before = steps;
    std::optional<PartTry> tried = TryParts(tree_, parts_, costs_, terms_, bound_, steps);
    steps_ -= before - steps;
    if (tried) Keep(std::move(tried->placed));
  }
  answer.best = done();
  if (!answer.best) answer.best = answer.proven = LookAtAll();
  answer.placed = best_.has_value();
  answer.proven = answer.proven && !answer.placed;
  answer.best = answer.best && answer.placed;
  if (!answer.placed) return answer;
  if (!answer.best) answer.gap = Gap();
  answer.leaves = parts_.Deal(request_, best_->placed);
  return answer;
}

}  // namespace

bool HasOwnRules(const PlacementRequest& request) {
  const auto ruled = [](const PodSetRequest& set) {
    return std::any_of(set.rules.begin(), set.rules.end(),
                       [](const auto& rule) { return rule.has_value(); });
  };
  return std::any_of(request.pod_sets.begin(), request.pod_sets.end(), ruled);
}

PlacementRequest WithoutOwnRules(const PlacementRequest& request) {
  PlacementRequest free = request;
  for (PodSetRequest& set : free.pod_sets) set.rules.clear();
  return free;
}

std::string OwnRulesProblem(const Tree& tree, const PlacementRequest& request) {
  if (!HasOwnRules(request)) return "";
  if (CountsRanks(request.rules))
    return "units of ranks beside rules of one pod set: expected one or the other";
  for (const PodSetRequest& set : request.pod_sets) {
    if (set.rules.empty()) continue;
    PlacementRequest own;
    own.rules = set.rules;
    const std::string problem = Contradiction(tree, own, set.count);
    if (!problem.empty()) return fmt::format("pod set {}: {}", set.name, problem);
  }
  return "";
}

SetsAnswer AskWithOwnRules(const PlacementView& view, const PlacementRequest& request,
                           const std::vector<Terms>& terms, bool counted, int64_t& steps) {
  return Search(view, request, terms, counted, steps).Run();
}

}  // namespace gangplan::exact
