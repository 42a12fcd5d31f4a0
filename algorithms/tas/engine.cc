#include "algorithms/tas/engine.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/members.h"
#include "algorithms/pack.h"
#include "algorithms/tas/repair.h"
#include "algorithms/tas/workload.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

int DeepestPack(const PlacementRequest& request, bool hard) {
  for (size_t level = request.rules.size(); level-- > 0;) {
    const std::optional<LevelRule>& rule = request.rules[level];
    const bool pack = rule && rule->kind == LevelRule::Kind::kPack;
    if (pack && rule->hard == hard) return static_cast<int>(level);
  }
  return -1;
}

std::vector<TasLayer> Layers(const PlacementRequest& request) {
  std::vector<TasLayer> layers;
  for (size_t level = 0; level < request.rules.size(); ++level) {
    const std::optional<LevelRule>& rule = request.rules[level];
    if (rule && rule->factor) layers.push_back({static_cast<int>(level), *rule->factor});
  }
  return layers;
}

TasRequest TasRequestFor(const Tree& tree, const PlacementRequest& request) {
  TasRequest tas;
  tas.count = request.pod_sets.front().count;
  tas.slices = Layers(request);
  tas.balanced = request.tas.balanced;
  tas.compatibility = request.tas.compatibility;
  const int required = DeepestPack(request, true);
  const int preferred = DeepestPack(request, false);
  if (required >= 0) {
    tas.mode = TasRequest::Mode::kRequired;
    tas.level = required;
  } else if (preferred >= 0) {
    tas.mode = TasRequest::Mode::kPreferred;
    tas.level = preferred;
  } else {
    tas.level = tas.slices.empty() ? tree.leaf_level() : 0;
  }
  return tas;
}

// Counts of one shape; what is assumed is taken off a copy that is made when it is needed first.
class OneShape : public TasCapacity {
 public:
  OneShape(const Tree& tree, const FitCounts& counts) : tree_(tree), counts_(&counts) {}

  TasCounts Counts(int32_t, int32_t) override {
    TasCounts counts;
    counts.lowest = tree_.leaf_level();
    counts.workers = counts_;
    return counts;
  }

  void Assume(int32_t, std::span<const TasShare> shares) override {
    if (counts_ != &copy_) copy_ = *counts_;
    counts_ = &copy_;
    for (const TasShare& share : shares) Take(share.domain, share.count);
  }

 private:
  void Take(int32_t domain, int32_t count) {
    const int32_t taken = std::min(count, copy_.levels.back()[domain]);
    for (int level = tree_.leaf_level(); level >= 0; --level) {
      copy_.levels[level][domain] -= taken;
      if (level > 0) domain = tree_.parent(level, domain);
    }
  }

  const Tree& tree_;
  const FitCounts* counts_;
  FitCounts copy_;
};

std::vector<TasShare> Standing(const PlacementRequest& request) {
  std::vector<TasShare> shares;
  for (const FixedMember& member : request.fixed) shares.push_back({member.leaf, 1});
  return MergeShares(std::move(shares));
}

// Beside members that stand, the others are lost pods of nodes that failed, each of its own: so
// slices that are no longer whole are filled up first.
TasAnswer PlaceBeside(const Tree& tree, OneShape& capacity, const TasRequest& request,
                      std::span<const TasShare> standing, int32_t missing, TasScratch& scratch) {
  std::vector<TasStanding> pods;
  for (const TasShare& share : standing) pods.push_back({share.domain, share.count, -1});
  for (int32_t i = 0; i < missing; ++i) pods.push_back({-1, 1, i});
  TasPodSet pod_set;
  pod_set.request = request;
  pod_set.slices_alone =
      request.mode == TasRequest::Mode::kUnconstrained && !request.slices.empty();
  const std::vector<std::vector<TasStanding>> all = {std::move(pods)};
  TasAnswer answer =
      std::move(RepairTasWorkload(tree, {&pod_set, 1}, all, capacity, scratch).front());
  for (TasShare& share : answer.shares) {
    auto stood = std::find_if(standing.begin(), standing.end(),
                              [&](const TasShare& other) { return other.domain == share.domain; });
    if (stood != standing.end()) share.count -= stood->count;
  }
  return answer;
}

// Pods that fit where the search came nearest.
int32_t MostOf(const TasFailure& failure, const PlacementRequest& request) {
  const std::vector<TasLayer> layers = Layers(request);
  const bool layered = !failure.layers.empty();
  const int64_t unit = !layers.empty() && (layered || failure.in_slices) ? layers.front().size : 1;
  const int64_t fit = layered ? failure.layers.front().fit : failure.fit;
  return static_cast<int32_t>(std::min<int64_t>(fit * unit, request.pod_sets.front().count));
}

// What one state of the cluster answers: the shares of the members to place, or a failure.
TasAnswer Answer(const Tree& tree, OneShape& capacity, const PlacementRequest& request) {
  TasScratch scratch;
  const TasRequest tas = TasRequestFor(tree, request);
  const std::vector<TasShare> standing = Standing(request);
  if (!standing.empty())
    return PlaceBeside(tree, capacity, tas, standing, MembersToPlace(request), scratch);
  TasResult result;
  PlaceTas(tree, capacity.Counts(0, -1), tas, scratch, result);
  return {0, std::move(result.workers), std::move(result.failure)};
}

}  // namespace

std::string TasProblem(const Tree& tree, const PlacementRequest& request) {
  for (const std::optional<LevelRule>& rule : request.rules) {
    if (!rule) continue;
    if (rule->kind == LevelRule::Kind::kSpread || rule->partitions || rule->min || rule->max)
      return "the tas engine knows pack and factor only";
  }
  const std::vector<TasLayer> layers = Layers(request);
  const TasRequest tas = TasRequestFor(tree, request);
  if (!layers.empty() && layers.front().level < tas.level) {
    return fmt::format("slices in one {} of pods that share one {}: the slices' level is above",
                       tree.level(layers.front().level).name, tree.level(tas.level).name);
  }
  for (size_t i = 1; i < layers.size(); ++i) {
    if (layers[i - 1].size % layers[i].size != 0) {
      return fmt::format("slices of {} in a {} do not divide into slices of {} in a {}",
                         layers[i - 1].size, tree.level(layers[i - 1].level).name, layers[i].size,
                         tree.level(layers[i].level).name);
    }
  }
  return {};
}

PlacementResult PlaceByTas(const PlacementView& now, const std::function<PlacementView()>& empty,
                           const PlacementRequest& request) {
  PlacementResult result;
  OneShape capacity(*now.tree, *now.counts.front());
  const TasAnswer answer = Answer(*now.tree, capacity, request);
  if (!answer.failure) {
    result.outcome = Outcome::kPlaced;
    std::vector<int32_t> leaves;
    for (const TasShare& share : answer.shares)
      leaves.insert(leaves.end(), share.count, share.domain);
    result.members = RankMembers(request, 0, leaves);
    return result;
  }
  const PlacementView best = empty();
  OneShape roomy(*best.tree, *best.counts.front());
  roomy.Assume(0, Standing(request));
  const TasAnswer hope = Answer(*best.tree, roomy, request);
  result.outcome = hope.failure ? Outcome::kImpossible : Outcome::kWait;
  result.deciding_level = DeepestPack(request, true);
  if (hope.failure) result.most_when_empty = MostOf(*hope.failure, request);
  return result;
}

}  // namespace gangplan
