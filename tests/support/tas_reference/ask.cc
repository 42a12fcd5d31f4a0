#include "tests/support/tas_reference/ask.h"

#include <algorithm>

#include "topology/tree.h"

namespace gangplan::tas_reference {
namespace {

using conformance::TopologyWords;

std::optional<int> LevelOf(const Tree& tree, const std::string& key) {
  const auto found = std::find(tree.levels.begin(), tree.levels.end(), key);
  if (found == tree.levels.end()) return std::nullopt;
  return static_cast<int>(found - tree.levels.begin());
}

Failure Refusal(std::string kind, std::optional<std::string> level = std::nullopt) {
  Failure failure;
  failure.kind = std::move(kind);
  failure.level = std::move(level);
  return failure;
}

std::optional<Failure> SetLevel(const Tree& tree, const Words& words, Ask& ask) {
  if (!words.topology || words.topology->unconstrained) {
    ask.unconstrained = true;
    ask.level = tree.last_level();
    return std::nullopt;
  }
  const TopologyWords& topology = *words.topology;
  if (topology.required || topology.preferred) {
    ask.required = topology.required.has_value();
    const std::string& key = ask.required ? *topology.required : *topology.preferred;
    if (!LevelOf(tree, key)) return Refusal("unknown_level", key);
    ask.level = *LevelOf(tree, key);
    return std::nullopt;
  }
  if (topology.slices.empty() && !words.keep_top_level) return Refusal("level_not_specified");
  ask.unconstrained = true;
  ask.level = 0;
  return std::nullopt;
}

std::optional<Failure> SetSlices(const Tree& tree, const TopologyWords& topology, Ask& ask) {
  for (const conformance::SliceLayer& layer : topology.slices) {
    const std::optional<int> level = LevelOf(tree, layer.level);
    if (!level) return Refusal("unknown_slice_level", layer.level);
    if (!layer.size) return Refusal("slice_size_missing");
    ask.layers.push_back({*level, *layer.size});
  }
  if (ask.layers.empty()) return std::nullopt;
  ask.slice_level = ask.layers[0].level;
  ask.slice_size = ask.layers[0].size;
  if (ask.slice_level < ask.level) return Refusal("slice_level_above_podset_level");
  for (size_t i = 1; i < ask.layers.size(); ++i) {
    const Layer& outer = ask.layers[i - 1];
    const Layer& layer = ask.layers[i];
    if (layer.level <= outer.level) return Refusal("slice_layers_not_descending");
    if (outer.size % layer.size != 0) return Refusal("slice_layer_size_not_divisor");
    for (int level = outer.level + 1; level <= layer.level; ++level) ask.inner[level] = layer.size;
  }
  return std::nullopt;
}

}  // namespace

std::variant<Ask, Failure> MakeAsk(const PlacementCase& placement_case, const Tree& tree,
                                   const Words& words, Compatibility compatibility) {
  Ask ask;
  ask.fixed = compatibility == Compatibility::kFixed;
  ask.slice_level = tree.last_level();
  if (auto failure = SetLevel(tree, words, ask)) return *failure;
  if (words.topology) {
    if (auto failure = SetSlices(tree, *words.topology, ask)) return *failure;
  }
  const conformance::PlacementOptions& options = placement_case.options;
  const bool mixed = options.profile == TasProfile::kMixed;
  ask.least_free = options.profile == TasProfile::kLeastFree || (mixed && ask.unconstrained);
  ask.tight = options.profile == TasProfile::kBestFit || (mixed && !ask.unconstrained);
  ask.balanced = options.balanced_placement && !ask.required && !ask.unconstrained;
  ask.affinity = options.preferred_node_affinity;
  return ask;
}

}  // namespace gangplan::tas_reference
