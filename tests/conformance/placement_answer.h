// What a program says to a placement case: for each pod set, in the order of decision, where its
// pods go or why they do not fit; a pod set after a failing one has no entry. Plain data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tests/conformance/assignment.h"
#include "tests/conformance/placement_case.h"

namespace gangplan::conformance {

struct ExclusionStats {
  int64_t total_nodes = 0;
  std::map<std::string, int64_t> excluded;  // leaves by their first reason
  friend bool operator==(const ExclusionStats&, const ExclusionStats&) = default;
};

struct LayerFit {
  std::string level;
  int64_t fit = 0;
  int64_t need = 0;
  friend bool operator==(const LayerFit&, const LayerFit&) = default;
};

// `kind` is one of the failure kinds of kueue/README.md; the rest is there where the kind has it.
struct Failure {
  std::string kind;
  std::optional<std::string> level;
  std::optional<std::string> unit;  // pod or slice
  std::optional<int64_t> fit;
  std::optional<int64_t> of;
  std::vector<LayerFit> layers;
  std::optional<ExclusionStats> stats;
  friend bool operator==(const Failure&, const Failure&) = default;
};

struct PodSetAnswer {
  std::string pod_set;
  std::variant<Assignment, Failure> result;
  friend bool operator==(const PodSetAnswer&, const PodSetAnswer&) = default;
};
using PlacementAnswer = std::vector<PodSetAnswer>;

// One JSON object, members in a fixed order, no white space.
std::string ToJson(const PlacementAnswer& answer);

enum class Compatibility {
  kExact,  // Kueue's own answers, its defects too
  kFixed,  // without the defects that docs/ lists
};

// The answer of the `tas` engine. Pure; any thread.
PlacementAnswer Answer(const PlacementCase& placement_case, Compatibility compatibility);

}  // namespace gangplan::conformance
