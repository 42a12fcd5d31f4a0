// The levels of a cluster, as an operator names them. Plain data; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gangplan {

inline constexpr int kMaxLevels = 16;
inline constexpr std::string_view kHostnameLabel = "kubernetes.io/hostname";

struct Level {
  std::string name;   // alias that people write: block, rack, node
  std::string label;  // node label key
  friend bool operator==(const Level&, const Level&) = default;
};

// An ordered list of levels, coarsest first.
struct Topology {
  std::string name = "default";
  std::vector<Level> levels;
  friend bool operator==(const Topology&, const Topology&) = default;
};

// 1 to kMaxLevels levels, names and labels unique and not empty, hostname only as the last one.
// Returns the topology with the implicit node level added where it is missing (one level more than
// was given, so a tree has at most kMaxLevels + 1).
absl::StatusOr<Topology> CompleteTopology(Topology topology);

}  // namespace gangplan
