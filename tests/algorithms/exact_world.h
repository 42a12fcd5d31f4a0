// Small clusters and requests of one pod set for the `exact` engine, and the engine's answer held
// against every placement there is.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "algorithms/engine.h"
#include "tests/support/catch.h"
#include "tests/support/cluster_facts.h"
#include "tests/support/exact_reference.h"
#include "tests/support/roll_up.h"
#include "topology/base/text.h"

namespace gangplan {

// A tree as its leaves: the number of the domain of each leaf at every level above the node.
struct TreeSpec {
  int levels = 1;  // the node's included
  std::vector<std::vector<int>> leaves;
};

inline Topology TopologyOf(int levels) {
  Topology topology{"test", {}};
  for (int level = 0; level + 1 < levels; ++level)
    topology.levels.push_back({fmt::format("level{}", level), fmt::format("l{}", level)});
  topology.levels.push_back({"node", std::string(kHostnameLabel)});
  return topology;
}

// Leaf i is named n<i>; nodes come in the order of `order`. `source` gets, for each leaf, i.
inline Tree BuildTree(const TreeSpec& spec, const std::vector<size_t>& order,
                      std::vector<size_t>& source) {
  std::vector<NodeFacts> nodes;
  for (size_t i : order) {
    LabelSet labels;
    for (int level = 0; level + 1 < spec.levels; ++level)
      labels.emplace_back(fmt::format("l{}", level), fmt::format("d{}", spec.leaves[i][level]));
    nodes.push_back(MakeNode(fmt::format("n{:02}", i), labels));
  }
  std::vector<const NodeFacts*> pointers;
  for (const NodeFacts& node : nodes) pointers.push_back(&node);
  Tree tree(TopologyOf(spec.levels), pointers);
  source.clear();
  for (int32_t at : tree.leaf_source()) source.push_back(order[at]);
  return tree;
}

inline std::vector<size_t> InOrder(size_t count) {
  std::vector<size_t> order(count);
  for (size_t i = 0; i < count; ++i) order[i] = i;
  return order;
}

inline std::string Text(const LevelRule& rule) {
  const char* kind = rule.kind == LevelRule::Kind::kSpread ? "spread"
                     : rule.kind == LevelRule::Kind::kPack ? "pack"
                                                           : "any";
  std::string text = fmt::format("{}{}", kind, rule.hard ? "!" : "");
  if (rule.partitions) text += fmt::format(" partitions={}", *rule.partitions);
  if (rule.min) text += fmt::format(" min={}", *rule.min);
  if (rule.max) text += fmt::format(" max={}", *rule.max);
  if (rule.factor) text += fmt::format(" factor={}", *rule.factor);
  return text;
}

inline std::string Text(const Tree& tree, const PlacementRequest& request, const PerLeaf& counts) {
  std::string text;
  for (const PodSetRequest& set : request.pod_sets) text += fmt::format("{} members;", set.count);
  for (const auto& rule : request.rules)
    text += fmt::format(" [{}]", rule ? Text(*rule) : std::string());
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf)
    text += fmt::format(" {}:{}", tree.Path(tree.leaf_level(), leaf), counts[leaf]);
  for (const FixedMember& member : request.fixed) text += fmt::format(" fixed {}", member.leaf);
  return text;
}

// New members per leaf; nothing when it is not placed.
inline std::optional<PerLeaf> PlacedPerLeaf(const Tree& tree, const PlacementResult& result) {
  if (result.outcome != Outcome::kPlaced) return std::nullopt;
  PerLeaf placed(tree.leaf_count(), 0);
  for (const PlacedMember& member : result.members) ++placed[member.leaf];
  return placed;
}

// What is wrong with the engine's answer; empty: it is right.
inline std::string Fault(const Tree& tree, const PlacementRequest& request, const PerLeaf& counts) {
  const FitCounts rolled = RollUpCounts(tree, counts);
  const PlacementView view{&tree, {&rolled}};
  const PlacementResult result = Place(
      view, [&] { return view; }, request, Budget{});
  const FitsTogether fits = [&](int32_t leaf, std::span<const int32_t> pods) {
    return pods[0] <= counts[leaf];
  };
  const ReferenceBest best = EnumerateBest(tree, request, fits);
  const std::optional<PerLeaf> placed = PlacedPerLeaf(tree, result);
  if (placed.has_value() != best.key.has_value())
    return fmt::format("{} ({}), but there are {} placements", Name(result.outcome), result.problem,
                       best.key ? "good" : "no good");
  if (!placed) return "";
  PerLeaf totals = *placed;
  int32_t all = 0;
  for (int32_t leaf = 0; leaf < tree.leaf_count(); ++leaf) {
    if ((*placed)[leaf] > counts[leaf]) return fmt::format("leaf {} is too full", leaf);
    all += (*placed)[leaf];
  }
  if (all + static_cast<int32_t>(request.fixed.size()) != request.pod_sets[0].count)
    return fmt::format("{} members were placed", all);
  for (const FixedMember& member : request.fixed) ++totals[member.leaf];
  const auto key = PlacementKeyOf(tree, request, totals);
  if (!key) return fmt::format("breaks a rule: {}", fmt::join(totals, ","));
  if (*key != *best.key)
    return fmt::format("{} has the key {}, the best {}", fmt::join(totals, ","),
                       fmt::join(*key, ","), fmt::join(*best.key, ","));
  return result.proven ? "" : "not proven";
}

}  // namespace gangplan
