// One case of Sakkara's constraints, as sakkara/README.md describes it, on a tree of ours: a node
// that hangs at a shallower depth lacks a level, so the tree has it among its unplaced ones. Pure;
// any thread.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "algorithms/request.h"
#include "rapidjson/document.h"
#include "topology/fit_counts.h"
#include "topology/tree.h"

namespace gangplan::conformance {

struct SakkaraCase {
  Tree tree;
  FitCounts now;
  FitCounts empty;
  PlacementRequest request;  // claimed pods stand
};

// Fails with the place in the case and what was expected there.
absl::StatusOr<SakkaraCase> ReadSakkaraCase(const rapidjson::Value& json);

}  // namespace gangplan::conformance
