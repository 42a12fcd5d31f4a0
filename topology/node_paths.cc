#include "topology/node_paths.h"

#include <utility>

#include "fmt/format.h"

namespace gangplan {
namespace {

// What every node has that the topology names. A name has no '/' that would make it another one's.
std::string MarkOf(std::string_view topology) { return fmt::format("{}{}", kUnitLabel, topology); }

// Of the labels of all its levels.
std::string PrefixOf(std::string_view topology) { return MarkOf(topology) + "/"; }

}  // namespace

absl::StatusOr<Topology> TopologyOf(const NodePaths& paths, std::string_view name) {
  Topology topology{std::string(name), {}};
  for (const std::string& level : paths.levels)
    topology.levels.push_back({level, PrefixOf(name) + level});
  return CompleteTopology(std::move(topology));
}

NodeScope ScopeOfNamed(std::string_view name) {
  return {{{MarkOf(name), SelectorOperator::kExists, {}}}};
}

void PlaceNode(const NodePaths& paths, std::string_view name, NodeFacts& node) {
  const std::string prefix = PrefixOf(name), mark = MarkOf(name);
  std::erase_if(node.labels, [&](const auto& label) {
    return label.first == mark || label.first.starts_with(prefix);
  });
  const auto path = paths.nodes.find(node.name);
  if (path == paths.nodes.end()) return;
  SetLabel(node.labels, mark, "");
  for (size_t level = 0; level < paths.levels.size(); ++level)
    SetLabel(node.labels, prefix + paths.levels[level], path->second[level]);
}

void KeepUnits(const NodePaths& before, std::string_view name, NodeFacts& node) {
  const auto path = before.nodes.find(node.name);
  if (path == before.nodes.end() || FindLabel(node.labels, MarkOf(name)) == nullptr) return;
  for (size_t level = 0; level < before.levels.size(); ++level) {
    const std::string label = PrefixOf(name) + before.levels[level];
    if (FindLabel(node.labels, label) == nullptr) SetLabel(node.labels, label, path->second[level]);
  }
}

}  // namespace gangplan
