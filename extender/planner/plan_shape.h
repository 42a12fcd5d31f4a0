// How the nodes of a group lie in the tree: what is told of a plan beside its nodes. Pure data and
// pure functions; any thread, but ShapeOf, which has the thread rule of the model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/result.h"
#include "topology/model_ids.h"

namespace gangplan {
class Model;

struct PlanShape {
  std::string domain;    // the lowest one that has all of them, as a path; empty: none has
  int32_t members = 0;   // that have a node
  int32_t nodes = 0;     // different ones
  int32_t distance = 0;  // steps in the tree, up and down, between the two farthest apart
  struct Level {
    std::string name;
    int32_t domains = 0;  // of this level, in which they are; above one the plan crosses it
  };
  std::vector<Level> levels;  // from the top, the node's too
};

// How near a plan is to the best one, as the engine that looks for that has told.
struct PlanQuality {
  bool best = false;                // no plan is better
  std::optional<PlacementGap> gap;  // of one that may not be
};

// Of the nodes of all members that have one; one without a place in the topology's tree is in no
// domain. O(n log n).
PlanShape ShapeOf(std::span<const NodeIndex> nodes, const Model& model, TopologyIndex topology);

// "64 pods in b0/r1 on 8 nodes"; "... in 2 blocks on 20 nodes" where no domain has all of them.
std::string ShapeText(const PlanShape& shape);

// "no plan is better"; "at rack it uses 3 domains, and 2 at least are needed". REQUIRES: of a plan
// by these levels.
std::string QualityText(const PlanQuality& quality, const PlanShape& shape);

}  // namespace gangplan
