// A topology that names its nodes itself, as a file does: its levels, and of each node the units
// that it is in. They become labels that only this program knows, so that all others see levels and
// labels as always. Pure data and pure functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/base/text_map.h"
#include "topology/node_facts.h"
#include "topology/node_scope.h"
#include "topology/topology.h"

namespace gangplan {

struct NodePaths {
  std::vector<std::string> levels;          // names, coarsest first, without the node; one at least
  TextMap<std::vector<std::string>> nodes;  // by the node's name: a unit for each level
  friend bool operator==(const NodePaths&, const NodePaths&) = default;
};

// Keys of such labels begin so, in no cluster.
inline constexpr std::string_view kUnitLabel = "unit.gangplan/";

// The topology `name` with these levels: of its nodes each has all their labels, no other has any.
absl::StatusOr<Topology> TopologyOf(const NodePaths& paths, std::string_view name);

// Picks the nodes that it names.
NodeScope ScopeOfNamed(std::string_view name);

// `node` with the labels of its units in the topology `name`, in place of those that it had of it.
// O(labels).
void PlaceNode(const NodePaths& paths, std::string_view name, NodeFacts& node);

// Of the units that `before` has put it in it keeps those of levels that are none any more, while
// it is in the topology still.
void KeepUnits(const NodePaths& before, std::string_view name, NodeFacts& node);

}  // namespace gangplan
