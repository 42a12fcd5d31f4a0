// One case of Sakkara's constraints, as sakkara/README.md describes it, on a tree of ours: a node
// that hangs at a shallower depth lacks a level, so the tree has it among its unplaced ones. Pure;
// any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "algorithms/request.h"
#include "algorithms/result.h"
#include "rapidjson/document.h"
#include "topology/fit_counts.h"
#include "topology/tree.h"

namespace gangplan::conformance {

using Amounts = std::vector<int64_t>;  // of each resource

struct SakkaraCase {
  Tree tree;
  Amounts demand;             // of one pod
  std::vector<Amounts> free;  // of each leaf, now; empty: the leaf may not be used
  FitCounts now;
  FitCounts empty;
  PlacementRequest request;  // claimed pods stand
};

// How many pods fit, at least 0. What nobody demands is no bound.
int32_t PodsThatFit(const Amounts& free, const Amounts& demand);

// Fails with the place in the case and what was expected there.
absl::StatusOr<SakkaraCase> ReadSakkaraCase(const rapidjson::Value& json);

// {NODE: pods, ...}: the used nodes, with the pods that stand.
std::string PlacementAsJson(const SakkaraCase& given, const PlacementResult& result);

}  // namespace gangplan::conformance
