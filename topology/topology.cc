#include "topology/topology.h"

#include <algorithm>

#include "topology/base/status_macros.h"
#include "topology/base/text.h"

namespace gangplan {
namespace {

bool NameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '/';
}

absl::Status CheckLevel(const Topology& topology, size_t at) {
  const Level& level = topology.levels[at];
  if (level.name.empty())
    return Invalid("topology {}: level {} has no name", topology.name, at + 1);
  if (!std::all_of(level.name.begin(), level.name.end(), NameCharacter))
    return Invalid("topology {}: level name \"{}\": only letters, digits, '-', '_', '.' and '/'",
                   topology.name, level.name);
  if (level.label.empty())
    return Invalid("topology {}: level {} has no label", topology.name, level.name);
  if (level.label == kHostnameLabel && at + 1 != topology.levels.size())
    return Invalid("topology {}: level {}: {} can only be the last level", topology.name,
                   level.name, kHostnameLabel);
  return absl::OkStatus();
}

// A level is found by name or by label, so no two levels may share any of these words.
absl::Status CheckDistinct(const Topology& topology, const Level& a, const Level& b) {
  if (a.name == b.name)
    return Invalid("topology {}: two levels are named {}", topology.name, a.name);
  if (a.label == b.label)
    return Invalid("topology {}: levels {} and {} have the same label {}", topology.name, a.name,
                   b.name, a.label);
  if (a.name == b.label || a.label == b.name)
    return Invalid("topology {}: the name of one of the levels {} and {} is the label of the other",
                   topology.name, a.name, b.name);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Topology> CompleteTopology(Topology topology) {
  if (topology.levels.empty()) return Invalid("topology {}: no levels", topology.name);
  if (topology.levels.size() > static_cast<size_t>(kMaxLevels))
    return Invalid("topology {}: {} levels, at most {} are possible", topology.name,
                   topology.levels.size(), kMaxLevels);
  for (size_t i = 0; i < topology.levels.size(); ++i) {
    GANGPLAN_RETURN_IF_ERROR(CheckLevel(topology, i));
    for (size_t j = 0; j < i; ++j)
      GANGPLAN_RETURN_IF_ERROR(CheckDistinct(topology, topology.levels[j], topology.levels[i]));
  }
  if (topology.levels.back().label != kHostnameLabel) {
    bool taken = std::any_of(
        topology.levels.begin(), topology.levels.end(),
        [](const Level& level) { return level.name == "node" || level.label == "node"; });
    std::string label(kHostnameLabel);
    topology.levels.push_back({taken ? label : "node", label});
  }
  return topology;
}

}  // namespace gangplan
