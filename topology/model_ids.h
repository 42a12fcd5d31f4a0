// What nodes, shapes and topologies are known by in the model. Values; any thread.
#pragma once

#include <cstdint>

namespace gangplan {

// A node's place in the model; stable as long as the node, a pod or a hold on it is known.
using NodeIndex = int32_t;
inline constexpr NodeIndex kNoNode = -1;
// A shape: a demand and a node filter, in one topology, counted by its users.
using ShapeId = int32_t;
// A topology's place in the list of all.
using TopologyIndex = int32_t;
inline constexpr TopologyIndex kNoTopology = -1;

}  // namespace gangplan
