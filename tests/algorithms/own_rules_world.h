// Small random gangs whose pod sets have rules of their own, and the engine's answer held against
// every placement there is.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "algorithms/leaf_room.h"
#include "tests/algorithms/exact_world.h"
#include "tests/algorithms/mixed_cluster.h"
#include "tests/support/level_rule.h"

namespace gangplan {

// Members by pod set and leaf, those that stand included.
using BySet = std::vector<PerLeaf>;

// The key of one rule alone; nothing: it is broken.
inline std::optional<std::vector<int64_t>> KeyOf(const Tree& tree, int level, const LevelRule& rule,
                                                 const PerLeaf& members) {
  PlacementRequest one;
  one.rules.assign(static_cast<size_t>(tree.level_count()), Rule(LevelRule::Kind::kAny));
  one.rules[static_cast<size_t>(level)] = rule;
  return PlacementKeyOf(tree, one, members);
}

// Level by level: the rule of all where it is told, those of the sets, and a soft pack of all where
// nothing is told.
inline std::optional<std::vector<int64_t>> KeyOf(const Tree& tree, const PlacementRequest& request,
                                                 const BySet& members) {
  std::vector<int64_t> key;
  PerLeaf all(static_cast<size_t>(tree.leaf_count()), 0);
  for (const PerLeaf& set : members)
    for (size_t leaf = 0; leaf < all.size(); ++leaf) all[leaf] += set[leaf];
  const auto add = [&](int level, const LevelRule& rule, const PerLeaf& who) {
    const auto one = KeyOf(tree, level, rule, who);
    if (one) key.insert(key.end(), one->begin(), one->end());
    return one.has_value();
  };
  for (int level = 0; level < tree.level_count(); ++level) {
    const auto at = static_cast<size_t>(level);
    if (request.rules[at] && !add(level, *request.rules[at], all)) return std::nullopt;
    for (size_t set = 0; set < members.size(); ++set) {
      const LevelRules& own = request.pod_sets[set].rules;
      if (!own.empty() && own[at] && !add(level, *own[at], members[set])) return std::nullopt;
    }
    if (!request.rules[at]) add(level, LevelRule{}, all);
  }
  return key;
}

class OwnRulesEnumeration {
 public:
  OwnRulesEnumeration(const Tree& tree, const MixedCluster& cluster,
                      const PlacementRequest& request)
      : tree_(tree), cluster_(cluster), request_(request) {
    members_.assign(request.pod_sets.size(), PerLeaf(static_cast<size_t>(tree.leaf_count()), 0));
    for (const PodSetRequest& set : request.pod_sets) left_.push_back(set.count);
    for (const FixedMember& member : request.fixed) {
      --left_[member.pod_set];
      ++members_[member.pod_set][member.leaf];
    }
  }
  std::optional<std::vector<int64_t>> Best() {
    Leaf(0);
    return best_;
  }

 private:
  void Leaf(int32_t leaf) {
    if (leaf < tree_.leaf_count()) {
      PerLeaf here(left_.size(), 0);
      return Set(leaf, 0, here);
    }
    for (const int32_t left : left_)
      if (left > 0) return;
    const auto key = KeyOf(tree_, request_, members_);
    if (key && (!best_ || *key < *best_)) best_ = key;
  }
  void Set(int32_t leaf, size_t set, PerLeaf& here) {
    if (set == left_.size()) return Leaf(leaf + 1);
    const int32_t before = left_[set];
    for (; left_[set] >= 0; ++here[set], --left_[set], ++members_[set][leaf]) {
      if (here[set] > 0 && !cluster_.Holds(leaf, here)) break;
      Set(leaf, set + 1, here);
    }
    members_[set][leaf] -= here[set];
    left_[set] = before;
    here[set] = 0;
  }

  const Tree& tree_;
  const MixedCluster& cluster_;
  const PlacementRequest& request_;
  BySet members_;
  PerLeaf left_;
  std::optional<std::vector<int64_t>> best_;
};

inline BySet SetsOf(const Tree& tree, const PlacementRequest& request,
                    const PlacementResult& result) {
  BySet members(request.pod_sets.size(), PerLeaf(static_cast<size_t>(tree.leaf_count()), 0));
  for (const FixedMember& member : request.fixed) ++members[member.pod_set][member.leaf];
  for (const PlacedMember& member : result.members) ++members[member.pod_set][member.leaf];
  return members;
}

inline PlacementResult Placed(const Tree& tree, MixedCluster& cluster,
                              const PlacementRequest& request, int64_t steps = Budget{}.steps) {
  const PlacementView view{&tree, cluster.Counts(tree), &cluster};
  return Place(
      view, [&] { return view; }, request, Budget{steps});
}

// What is wrong with the answer; `must`: all is to be found and proven.
inline std::string FaultOf(const Tree& tree, MixedCluster& cluster, const PlacementRequest& request,
                           int64_t steps, bool must) {
  const PlacementResult result = Placed(tree, cluster, request, steps);
  const auto best = OwnRulesEnumeration(tree, cluster, request).Best();
  const bool placed = result.outcome == Outcome::kPlaced;
  if (placed && !best) return "placed, and none is good";
  if (!placed && best && (must || result.proven))
    return fmt::format("{} {}, and some are good", Name(result.outcome), result.problem);
  if (!placed) return "";
  PerLeaf totals;
  const std::string unfit = UnfitMembers(tree, cluster, request, result, totals);
  if (!unfit.empty()) return unfit;
  const auto key = KeyOf(tree, request, SetsOf(tree, request, result));
  if (!key) return "it breaks a rule";
  if (*key != *best && (must || result.proven))
    return fmt::format("its key is {}, the best {}", fmt::join(*key, ","), fmt::join(*best, ","));
  return result.proven || !must ? "" : "not proven";
}

inline std::optional<LevelRule> RandomRule(std::mt19937& random, uint32_t none) {
  if (random() % none != 0) return std::nullopt;
  LevelRule rule;
  if (random() % 3 == 0) rule.kind = LevelRule::Kind::kSpread;
  rule.hard = random() % 3 == 0;
  if (random() % 6 == 0 && !rule.hard) rule.partitions = 1 + static_cast<int32_t>(random() % 2);
  if (random() % 8 == 0) rule.min = 1 + static_cast<int32_t>(random() % 2);
  if (random() % 5 == 0) rule.max = rule.min.value_or(1) + static_cast<int32_t>(random() % 3);
  if (random() % 8 == 0) rule.factor = 2;
  return rule;
}

struct OwnRulesCase {
  Tree tree;
  MixedCluster cluster;
  PlacementRequest request;
};

inline OwnRulesCase RandomCase(std::mt19937& random) {
  const auto number = [&](uint32_t most) { return static_cast<int32_t>(random() % (most + 1)); };
  TreeSpec spec{2 + number(1), {}};
  for (int32_t leaves = 2 + number(4), leaf = 0; leaf < leaves; ++leaf)
    spec.leaves.push_back({number(1), number(2)});
  std::vector<size_t> source;
  OwnRulesCase one{BuildTree(spec, InOrder(spec.leaves.size()), source), {}, {}};
  for (int32_t leaf = 0; leaf < one.tree.leaf_count(); ++leaf)
    one.cluster.free.push_back({number(6), number(3)});
  one.request.strategy = Strategy::kExact;
  const int32_t sets = 1 + number(2);
  for (int32_t set = 0; set < sets; ++set) {
    PodSetRequest& pods =
        one.request.pod_sets.emplace_back(PodSetRequest{fmt::format("s{}", set), 1 + number(2)});
    if (set == 0 || random() % 2 == 0) {
      for (int level = 0; level < one.tree.level_count(); ++level)
        pods.rules.push_back(RandomRule(random, 2));
    }
    one.cluster.demands.push_back({1 + number(1), number(1)});
  }
  for (int level = 0; level < one.tree.level_count(); ++level)
    one.request.rules.push_back(RandomRule(random, 3));
  if (random() % 3 == 0)
    one.request.fixed.push_back(
        {sets - 1, 0, number(static_cast<uint32_t>(one.tree.leaf_count() - 1))});
  return one;
}

inline std::string Text(const OwnRulesCase& one) {
  std::string text = Text(one.tree, one.request, PerLeaf(one.tree.leaf_count(), 0));
  for (const PodSetRequest& set : one.request.pod_sets) {
    text += fmt::format("\n{} x{}", set.name, set.count);
    for (const auto& rule : set.rules)
      text += fmt::format(" [{}]", rule ? Text(*rule) : std::string());
  }
  for (const Amounts& demand : one.cluster.demands)
    text += fmt::format(" demands {}", fmt::join(demand, "/"));
  for (const Amounts& free : one.cluster.free) text += fmt::format(" {}", fmt::join(free, "/"));
  return text;
}

}  // namespace gangplan
