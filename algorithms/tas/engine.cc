#include "algorithms/tas/engine.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/members.h"
#include "algorithms/pod_sets.h"
#include "algorithms/tas/repair.h"
#include "algorithms/tas/view_capacity.h"
#include "algorithms/tas/workload.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

int DeepestPack(const LevelRules& rules, bool hard) {
  for (size_t level = rules.size(); level-- > 0;) {
    const std::optional<LevelRule>& rule = rules[level];
    const bool pack = rule && rule->kind == LevelRule::Kind::kPack;
    if (pack && rule->hard == hard) return static_cast<int>(level);
  }
  return -1;
}

std::vector<TasLayer> Layers(const LevelRules& rules) {
  std::vector<TasLayer> layers;
  for (size_t level = 0; level < rules.size(); ++level) {
    const std::optional<LevelRule>& rule = rules[level];
    if (rule && rule->factor) layers.push_back({static_cast<int>(level), *rule->factor});
  }
  return layers;
}

TasRequest TasRequestFor(const Tree& tree, const PlacementRequest& request, size_t pod_set) {
  const LevelRules& rules = RulesOf(request, pod_set);
  TasRequest tas;
  tas.count = request.pod_sets[pod_set].count;
  tas.slices = Layers(rules);
  tas.profile = request.tas.profile;
  tas.balanced = request.tas.balanced;
  tas.compatibility = request.tas.compatibility;
  const int required = DeepestPack(rules, true);
  const int preferred = DeepestPack(rules, false);
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

std::vector<TasShare> StandingShares(const PlacementRequest& request, int32_t pod_set) {
  std::vector<TasShare> shares;
  for (const FixedMember& member : request.fixed) {
    if (member.pod_set == pod_set) shares.push_back({member.leaf, 1});
  }
  return MergeShares(std::move(shares));
}

// Pods that fit where the search came nearest.
int32_t MostOf(const TasFailure& failure, const PlacementRequest& request, size_t pod_set) {
  const std::vector<TasLayer> layers = Layers(RulesOf(request, pod_set));
  const bool layered = !failure.layers.empty();
  const int64_t unit = !layers.empty() && (layered || failure.in_slices) ? layers.front().size : 1;
  const int64_t fit = layered ? failure.layers.front().fit : failure.fit;
  return static_cast<int32_t>(std::min<int64_t>(fit * unit, request.pod_sets[pod_set].count));
}

// What one state of the cluster answers: the shares of the members to place, by pod set, or a
// failure and whose it is.
struct Verdict {
  std::vector<std::vector<TasShare>> shares;
  std::optional<TasFailure> failure;
  size_t failed = 0;
};

// The pod sets of one request in one state of the cluster. Those of which something stands, or
// whose partner does, are repaired: their other members are lost pods of nodes that failed, each of
// its own, so slices that are no longer whole are filled up first; or of one node, as Kueue knows
// no more than that. Then the others are placed.
class Asked {
 public:
  Asked(const Tree& tree, const PlacementRequest& request, ViewCapacity& capacity)
      : tree_(tree), request_(request), capacity_(capacity) {
    verdict_.shares.resize(request.pod_sets.size());
  }

  Verdict Answer() {
    if (request_.pod_sets.size() == 1 && request_.fixed.empty()) {
      PlaceOnly();
    } else {
      Describe();
      if (request_.fixed.empty() || RepairStanding()) PlaceOthers();
    }
    return std::move(verdict_);
  }

 private:
  void PlaceOnly() {
    TasResult result;
    PlaceTas(tree_, capacity_.Counts(0, -1), TasRequestFor(tree_, request_, 0), scratch_, result);
    verdict_.shares.front() = std::move(result.workers);
    verdict_.failure = std::move(result.failure);
  }

  void Describe() {
    for (size_t i = 0; i < request_.pod_sets.size(); ++i) {
      TasPodSet& set = sets_.emplace_back();
      set.request = TasRequestFor(tree_, request_, i);
      set.group = request_.pod_sets[i].group;
      set.slices_alone =
          set.request.mode == TasRequest::Mode::kUnconstrained && !set.request.slices.empty();
      standing_.push_back(StandingShares(request_, static_cast<int32_t>(i)));
    }
  }

  // Members of a required group stay with the partner; Kueue lets the last of a set leave it.
  void Confine(TasRequest& request, const std::vector<TasShare>& partner) const {
    const bool required = request.mode == TasRequest::Mode::kRequired;
    if (required && request.compatibility == KueueCompatibility::kFixed)
      request.confine = {request.level, tree_.Ancestor(partner.front().domain, request.level)};
  }

  bool RepairStanding() {
    std::vector<std::vector<TasStanding>> pods(sets_.size());
    for (size_t i = 0; i < sets_.size(); ++i) {
      const int32_t partner = PartnerOf(request_, i);
      const bool beside = partner >= 0 && !standing_[partner].empty();
      if (standing_[i].empty() && !beside) continue;
      if (standing_[i].empty()) Confine(sets_[i].request, standing_[partner]);
      int32_t missing = request_.pod_sets[i].count;
      for (const TasShare& share : standing_[i]) {
        pods[i].push_back({share.domain, share.count, -1});
        missing -= share.count;
      }
      const bool fixed = sets_[i].request.compatibility == KueueCompatibility::kFixed;
      if (!fixed && missing > 0) pods[i].push_back({-1, missing, 0});
      for (int32_t lost = 0; fixed && lost < missing; ++lost) pods[i].push_back({-1, 1, lost});
    }
    const bool placed = Take(RepairTasWorkload(tree_, sets_, pods, capacity_, scratch_));
    for (size_t i = 0; i < sets_.size(); ++i) {
      if (!pods[i].empty()) sets_[i].request.count = 0;  // done
    }
    return placed;
  }

  void PlaceOthers() { Take(PlaceTasWorkload(tree_, sets_, capacity_, scratch_)); }

  bool Take(std::vector<TasAnswer> answers) {
    for (TasAnswer& answer : answers) {
      const auto pod_set = static_cast<size_t>(answer.pod_set);
      if (answer.failure) {
        verdict_.failure = std::move(answer.failure);
        verdict_.failed = pod_set;
      } else if (!answer.shares.empty()) {
        verdict_.shares[pod_set] = Placed(std::move(answer.shares), standing_[pod_set]);
      }
    }
    return !verdict_.failure;
  }

  static std::vector<TasShare> Placed(std::vector<TasShare> shares,
                                      std::span<const TasShare> standing) {
    for (TasShare& share : shares) {
      auto stood = std::find_if(standing.begin(), standing.end(), [&](const TasShare& other) {
        return other.domain == share.domain;
      });
      if (stood != standing.end()) share.count -= stood->count;
    }
    return shares;
  }

  const Tree& tree_;
  const PlacementRequest& request_;
  ViewCapacity& capacity_;
  TasScratch scratch_;
  std::vector<TasPodSet> sets_;
  std::vector<std::vector<TasShare>> standing_;  // by pod set
  Verdict verdict_;
};

// As Kueue answers: a rest of the count that fills no slice is dropped. Empty: there is none.
std::string DroppedText(const PlacementRequest& request) {
  if (request.tas.compatibility == KueueCompatibility::kFixed || !request.fixed.empty()) return {};
  for (size_t i = 0; i < request.pod_sets.size(); ++i) {
    const std::vector<TasLayer> layers = Layers(RulesOf(request, i));
    const int32_t count = request.pod_sets[i].count;
    if (layers.empty() || count % layers.front().size == 0) continue;
    return fmt::format(
        "{} members in slices of {}: Kueue drops the last {} "
        "(engines.tas.kueueCompatibility: exact); fixed places all",
        count, layers.front().size, count % layers.front().size);
  }
  return {};
}

// The same where it depends on who stands where, or on the room of domains.
std::string LeftOutText(const PlacementRequest& request, const Verdict& verdict) {
  for (size_t i = 0; i < request.pod_sets.size(); ++i) {
    size_t placed = 0;
    for (const TasShare& share : verdict.shares[i]) placed += static_cast<size_t>(share.count);
    const size_t missing = MissingRanks(request, static_cast<int32_t>(i)).size();
    if (placed == missing) continue;
    return fmt::format(
        "Kueue leaves out {} of {} members (engines.tas.kueueCompatibility: exact); fixed places "
        "all",
        missing - placed, missing);
  }
  return {};
}

}  // namespace

std::string TasProblem(const Tree& tree, const PlacementRequest& request) {
  for (const std::optional<LevelRule>& rule : request.rules) {
    if (!rule) continue;
    if (rule->kind == LevelRule::Kind::kSpread || rule->partitions || rule->min || rule->max)
      return "the tas engine knows pack and factor only";
  }
  const std::vector<TasLayer> layers = Layers(request.rules);
  const TasRequest tas = TasRequestFor(tree, request, 0);
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
  return DroppedText(request);
}

PlacementResult PlaceByTas(const PlacementView& now, const std::function<PlacementView()>& empty,
                           const PlacementRequest& request) {
  PlacementResult result;
  ViewCapacity capacity(now);
  const Verdict verdict = Asked(*now.tree, request, capacity).Answer();
  const auto sets = static_cast<int32_t>(request.pod_sets.size());
  if (!verdict.failure) {
    result.problem = LeftOutText(request, verdict);
    result.outcome = result.problem.empty() ? Outcome::kPlaced : Outcome::kWait;
    if (!result.problem.empty()) return result;
    for (int32_t i = 0; i < sets; ++i) {
      std::vector<int32_t> leaves;
      for (const TasShare& share : verdict.shares[i])
        leaves.insert(leaves.end(), share.count, share.domain);
      RankMembers(request, i, leaves, result.members);
    }
    return result;
  }
  const PlacementView best = empty();
  ViewCapacity roomy(best);
  for (int32_t i = 0; i < sets; ++i) roomy.Assume(i, StandingShares(request, i));
  const Verdict hope = Asked(*best.tree, request, roomy).Answer();
  const size_t failed = hope.failure ? hope.failed : verdict.failed;
  result.outcome = hope.failure ? Outcome::kImpossible : Outcome::kWait;
  result.deciding_pod_set = static_cast<int32_t>(failed);
  result.deciding_level = DeepestPack(RulesOf(request, failed), true);
  if (hope.failure) result.most_when_empty = MostOf(*hope.failure, request, failed);
  return result;
}

}  // namespace gangplan
