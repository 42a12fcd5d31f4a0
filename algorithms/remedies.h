// What would place a request that has no room now: the least change of each kind that is enough by
// itself. Each one that is told was tried, and the next smaller one of its kind was tried and is
// not enough; where the steps or the tries end before that is known, the kind is left out.
//
// Cost: some ten questions to the engine where all rules are plain packs; else up to kRemedyTries
// of each kind, all together within the steps. Deterministic. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "algorithms/engine.h"

namespace gangplan {

inline constexpr int32_t kMaxMoreNodes = 64;  // that are offered
inline constexpr int32_t kRemedyTries = 256;

// So many members of the pod set, the largest.
struct FewerMembers {
  int32_t pod_set = 0;
  int32_t members = 0;
};

// One rule says less.
struct WeakerRule {
  PlacementRequest request;  // with it
  int32_t pod_set = -1;      // whose rule it is; -1: of all
  std::string rule;          // for people
  std::string instead_of;
};

// Empty nodes of a kind below one lowest domain.
struct MoreNodes {
  int32_t nodes = 0;
  int32_t like = 0;   // a leaf
  int32_t under = 0;  // the lowest domain in which it was tried
  int level = -1;     // anywhere in this domain they do as well; -1: anywhere
  int32_t domain = -1;
};

struct Remedies {
  std::optional<FewerMembers> fewer;
  std::optional<WeakerRule> weaker;
  std::optional<MoreNodes> nodes;
};

struct RemedyQuestion {
  PlacementView now;
  PlacementView empty;
  const PlacementRequest& request;
  // The rules as their user has written them, before what follows from them was added.
  LevelRules told;
  Budget budget;
};

// REQUIRES: RequestProblem is empty, and the request does not fit on `now`.
Remedies FindRemedies(const RemedyQuestion& question);

}  // namespace gangplan
